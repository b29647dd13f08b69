import Foundation
import SettingsTestSupport

@testable import SettingsKitCore

/// A text that a test replaces.
final class ReplacedText: FollowedText {
    private let state: Mutex<(json: String, receive: (@Sendable (LayerTextReading) -> Void)?)>

    private let format: SettingsFileFormat

    init(_ json: String, _ format: SettingsFileFormat = .json) {
        self.format = format
        state = Mutex((json, nil))
    }

    private func reading(_ json: String) -> LayerTextReading {
        do {
            return .text(try format.text(of: Data(json.utf8), path: "/file"))
        } catch {
            return .failed(SettingsError(.unreadableFile, store: "/file", underlying: error))
        }
    }

    func follow(_ receive: @escaping @Sendable (LayerTextReading) -> Void) throws(SettingsError) -> any Sendable {
        let json = state.withLock { state in
            state.receive = receive
            return state.json
        }
        receive(reading(json))
        return Box(0)
    }

    func replace(by json: String) { state.withLock { $0.receive }?(reading(json)) }
}
