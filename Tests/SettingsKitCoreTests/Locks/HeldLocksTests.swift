#if DEBUG
    import Foundation
    @testable import SettingsKitCore
    import SettingsTestSupport
    import Testing

    extension LockRank: Codable {}

    /// What a process does with locks, and how it must end.
    @Suite("Debug builds count the locks that a thread holds")
    struct HeldLocksTests {
        @Test(
            "A mutex taken inside a leaf, or one of a store inside one of a connection, ends the process",
            arguments: [[LockRank.leaf, .store], [.leaf, .connection], [.leaf, .leaf], [.connection, .store]])
        func order(ranks: [LockRank]) async {
            await #expect(processExitsWith: .failure) { [ranks] in
                let outer = RankedMutex(0, ranks[0])
                let inner = RankedMutex(0, ranks[1])
                outer.withLock { _ in inner.withLock { _ in } }
            }
        }

        @Test("User code that is called with a lock held ends the process")
        func userCode() async {
            await #expect(processExitsWith: .failure) {
                RankedMutex(0, .leaf).withLock { _ in HeldLocks.requireNone(before: "a listener") }
            }
        }

        @Test("A listener that a store calls inside its lock ends the process")
        func listener() async {
            await #expect(processExitsWith: .failure) {
                let service = SettingsService(stores: [.defaults: BlockingStore()], diagnosticSink: .none)
                let setting = SettingsService.Setting<Int>("number", in: .defaults, default: 0)
                let subscription = service.observe(setting) { _ in }
                service.set(setting, to: 1)
                subscription.cancel()
            }
        }

        @Test("Mutexes may be taken by levels that do not fall, again after release, or where waiting is not needed")
        func allowed() async {
            await #expect(processExitsWith: .success) {
                let outer = RankedMutex(0, .store)
                let other = RankedMutex(0, .store)
                let middle = RankedMutex(0, .connection)
                let inner = RankedMutex(0, .leaf)
                outer.withLock { _ in
                    other.withLock { _ in middle.withLock { _ in inner.withLock { _ in } } }
                }
                inner.withLock { _ in }
                outer.withLock { _ in }
                inner.withLock { _ in _ = outer.withLockIfAvailable { _ in } }
                HeldLocks.requireNone(before: "a listener")
                outer.withLock { _ in
                    HeldLocks.excepting {
                        HeldLocks.requireNone(before: "a store of two functions")
                        outer.withLockIfAvailable { _ in } ?? ()
                    }
                    inner.withLock { _ in }
                }
            }
        }

        @Test("Without the variable in the environment, nothing is checked")
        func unchecked() async {
            await #expect(processExitsWith: .success) {
                unsetenv("SETTINGSKIT_CHECKS_LOCKS")
                RankedMutex(0, .leaf).withLock { _ in HeldLocks.requireNone(before: "a listener") }
            }
        }
    }

    /// Lets its listeners run with its lock held.
    private final class BlockingStore: SettingsStore {
        let feed: SettingsStoreFeed? = SettingsStoreFeed()
        private let values = RankedMutex<[String: Data]>([:], .store)

        func get(_ key: SettingsService.StorageKey) throws -> Data? { values.withLock { $0[key.name] } }

        func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
            values.withLock { values in
                let old = values[key.name]
                values[key.name] = data
                feed?.publish([.init(name: key.name, from: old, to: data)], origin: .local)
                feed?.flush()
            }
        }
    }
#endif
