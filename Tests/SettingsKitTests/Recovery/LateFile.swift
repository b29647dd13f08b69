import Foundation
import SettingsKitCore
import SettingsKit

/// A property list that cannot be opened: there is a directory in its place. The file comes later, in one moment.
final class LateFile: Sendable {
    /// The directory in which the file will be.
    let directory: String
    private let path: String
    private let link: String
    let problems = Recorder<SettingsError>()
    let timing = ManualTiming()

    var url: URL { URL(fileURLWithPath: path) }
    /// What stands in for the file.
    let store: RecoveringStore

    init(in parent: String) throws {
        directory = parent + "/open"
        path = parent + "/config/Settings.plist"
        link = parent + "/config"
        try FileManager.default.createDirectory(
            atPath: parent + "/locked/Settings.plist", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: parent + "/locked")
        store = try Self.failing(to: URL(fileURLWithPath: path), timing: timing)
    }

    private static func failing(to url: URL, timing: ManualTiming) throws -> RecoveringStore {
        do {
            _ = try PropertyListStore(url: url)
            throw CocoaError(.fileWriteFileExists)
        } catch let error as SettingsError {
            return RecoveringStore(reason: error, description: "memory", timing: timing.timing) {
                timing.recordOpening()
                return try PropertyListStore(url: url)
            }
        }
    }

    func service(stores: [SettingsService.Scope: any SettingsStore] = [:]) -> SettingsService {
        SettingsService(
            defaults: store, storesForCustomScopes: stores, diagnosticSink: .init { [problems] in problems.append($0) })
    }

    /// Takes the obstacle away; there is a property list if it has contents.
    func appear(_ contents: [String: any Sendable] = [:]) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        if !contents.isEmpty {
            try PropertyListSerialization.data(fromPropertyList: contents, format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: directory + "/Settings.plist"))
        }
        try FileManager.default.createSymbolicLink(atPath: link + "-new", withDestinationPath: directory)
        guard rename(link + "-new", link) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// What another process would find in the file.
    func stored() throws -> NSDictionary {
        try PropertyListStore(url: url).bringUpToDate()
        guard FileManager.default.fileExists(atPath: url.path) else { return [:] }
        let object = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
        return object as? NSDictionary ?? [:]
    }

    var codes: [SettingsError.Code] { problems.all.map(\.code) }
}

/// A background that works only when the test asks for it, and records the requests.
final class ManualTiming: Sendable {
    private struct State {
        var scheduled: [@Sendable () -> Void] = []
        var pauses: [Duration] = []
        var openings = 0
    }

    private let state = Mutex(State())

    /// The pauses that were asked for so far.
    var pauses: [Duration] { state.withLock { $0.pauses } }
    /// How often the store was opened, with success or without.
    var openings: Int { state.withLock { $0.openings } }

    func recordOpening() { state.withLock { $0.openings += 1 } }

    var timing: RecoveringStore.Timing {
        .init(
            schedule: { [weak self] pause, body in
                self?.state.withLock { state in
                    state.pauses.append(pause)
                    state.scheduled.append(body)
                }
            }, wait: { Thread.sleep(forTimeInterval: $0 / .seconds(1)) }, pauseBetweenUses: .zero)
    }

    /// Does what was scheduled so far.
    func run() {
        let scheduled = state.withLock { state in
            defer { state.scheduled = [] }
            return state.scheduled
        }
        for body in scheduled { body() }
    }
}
