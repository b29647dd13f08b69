import Foundation
import SettingsKitCore

/// A store with three layers whose values a test changes one by one: `managed` locks, the one without a name is written to, and
/// `system` is the fallback.
final class ThreeLayers: Sendable {
    let (managed, own, system) = (FeedStore(), FeedStore(), FeedStore())
    let layered: LayeredStore

    init() {
        do {
            layered = try LayeredStore([
                .locked(managed, name: "managed"), .writable(own), .fallback(system, name: "system"),
            ])
        } catch {
            preconditionFailure("The layers differ: \(error)")
        }
    }

    /// Changes a value as another process does.
    func change(_ name: String, in layer: String?, to text: String?) {
        let store = layer == "managed" ? managed : layer == nil ? own : system
        store.changeFromOutside([(name, text)])
    }

    /// Returns the text in the layer that is written to.
    func held(_ name: String) -> String? { own.stored[name].map { String(decoding: $0, as: UTF8.self) } }
}
