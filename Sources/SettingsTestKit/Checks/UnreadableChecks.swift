import Foundation
import SettingsKitCore

extension Check {
    private static let counter = SettingsService.Setting<Int>("counter", in: .custom(id: "conformance"), default: 0)
    private static let other = SettingsService.Setting<Int>("other", in: .custom(id: "conformance"), default: 0)

    /// An unreadable medium must not count as empty: otherwise a default is returned for the value, and overwrites it.
    ///
    /// - Parameter means: Without a closure that makes the medium unreadable, the rules are skipped.
    static func unreadability(_ means: StoreConformance.Means) -> [Check] {
        /// Stores a number, and calls `body` while the store's medium cannot be read.
        @Sendable func whileUnreadable(_ store: any SettingsStore, _ body: () throws -> Void) throws {
            try store.set("counter", "41")
            try store.synchronize()
            try StoreConformance.Means.whileBroken(means.unreadable, "unreadable", store, body)
        }

        return [
            Check("unreadable.throws", "A store that cannot read throws, and never returns nil.") { store in
                try whileUnreadable(store) { try requireThrowingOrStored(store) }
            },
            Check("unreadable.reopened", "An unreadable medium is not opened as an empty one.") { store in
                try whileUnreadable(store) {
                    let reopen = try means.requireReopening()
                    // Failing to open is right for an unreadable medium.
                    if let second = try? reopen(store) { try requireThrowingOrStored(second) }
                }
            },
            Check("unreadable.kept", "Writing while the medium is unreadable replaces no stored value.") { store in
                try whileUnreadable(store) {
                    for store in [store, try? means.reopen?(store)] {
                        // As a program that ignores errors does.
                        let service = store?.service()
                        service?.update(counter) { $0 += 1 }
                        service?.set(other, to: 1)
                    }
                }
                let data = try (means.reopen?(store) ?? store).get(counter.key)
                // A store with its values in memory may have stored the sum.
                let expected = ["41", "42", "43"].map { Data($0.utf8) }
                try require(data.map(expected.contains) ?? false, "The value from before was lost.")
            },
        ]
    }

    /// Fails unless the store throws, or returns the stored bytes, for example from memory.
    private static func requireThrowingOrStored(_ store: any SettingsStore) throws {
        if let data = try? Optional(store.get(counter.key)) {
            try require(data != nil, "get returned nil for a stored key.")
            try require(data == Data("41".utf8), "get did not return the stored bytes.")
        }
        if let names = try? store.keys() {
            try require(names.contains(counter.key.name), "keys left out a stored key.")
        }
    }
}
