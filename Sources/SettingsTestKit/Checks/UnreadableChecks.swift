import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Check {
    private static let counter = SettingsService.Setting<Int>("counter", in: .custom(id: "conformance"), default: 0)
    private static let other = SettingsService.Setting<Int>("other", in: .custom(id: "conformance"), default: 0)

    /// An unreadable medium must not count as empty: otherwise a default is returned for the value, and overwrites it.
    ///
    /// - Parameter means: Without a closure that makes the medium unreadable, the rules are skipped.
    static func unreadability(_ means: StoreConformance.Means) -> [Check] {
        /// Calls `body` while the store's medium cannot be read.
        @Sendable func whileUnreadable(_ store: any SettingsStore, _ body: () throws -> Void) throws {
            try StoreConformance.Means.whileBroken(means.unreadable, "unreadable", store, body)
        }

        return [
            Check("unreadable.throws", "A store that cannot read throws, and never returns nil.") {
                store in
                try store.set(counter.key, to: Data("41".utf8))
                try store.synchronize()
                try whileUnreadable(store) { try requireThrowingOrStored(store) }
            },
            Check("unreadable.reopened", "An unreadable medium is not opened as an empty one.") { store in
                try store.set(counter.key, to: Data("41".utf8))
                try store.synchronize()
                try whileUnreadable(store) {
                    if means.reopen == nil { _ = try means.reopened(store) }
                    guard let second = opened(store, by: means.reopen) else { return }
                    try requireThrowingOrStored(second)
                }
            },
            Check("unreadable.kept", "Writing while the medium is unreadable replaces no stored value.") {
                store in
                try store.set(counter.key, to: Data("41".utf8))
                try store.synchronize()
                try whileUnreadable(store) {
                    write(to: store)
                    if let second = opened(store, by: means.reopen) { write(to: second) }
                }
                let data = try (means.reopen?(store) ?? store).get(counter.key)
                // A store with its values in memory may have stored the sum.
                let expected = ["41", "42", "43"].map { Data($0.utf8) }
                try require(data.map(expected.contains) ?? false, "The value from before was lost.")
            },
        ]
    }

    /// Opens a second store on the medium of the first. Returns nil if opening fails, which is right for an unreadable medium.
    private static func opened(
        _ store: any SettingsStore, by reopen: StoreConformance.Reopen?
    ) -> (any SettingsStore)? {
        do {
            return try reopen?(store)
        } catch {
            return nil
        }
    }

    /// Fails unless the store throws, or returns the stored bytes, for example from memory.
    private static func requireThrowingOrStored(_ store: any SettingsStore) throws {
        do {
            let data = try store.get(counter.key)
            try require(data != nil, "get returned nil for a stored key.")
            try require(data == Data("41".utf8), "get did not return the stored bytes.")
        } catch let violation as Violation {
            throw violation
        } catch {
            // Throwing is required.
        }
        do {
            try require(try store.keys().contains(counter.key.name), "keys left out a stored key.")
        } catch let violation as Violation {
            throw violation
        } catch {
            // Throwing is required, also of a store that does not list its keys.
        }
    }

    /// Updates the stored value and sets another one, as a program that ignores errors does.
    private static func write(to store: any SettingsStore) {
        let service = SettingsService(stores: [.custom(id: "conformance"): store], diagnosticSink: .none)
        service.update(counter) { $0 += 1 }
        service.set(other, to: 1)
    }
}
