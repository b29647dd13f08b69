#if DEBUG && !canImport(Darwin)
    import Foundation
    import SettingsKitCore
    import Testing

    @testable import SettingsKitUserDefaults

    @Suite("The lock around UserDefaults")
    struct SystemDefaultsTests {
        @Test(
            "UserDefaults used inside a lock that comes after its own ends the process, and used inside its own does not"
        )
        func order() async {
            await #expect(processExitsWith: .success) {
                let defaults = SystemDefaults(UserDefaults())
                RankedMutex(0, .opening).withLock { _ in defaults.use { _ = defaults.names() } }
            }
            await #expect(processExitsWith: .failure) {
                let defaults = SystemDefaults(UserDefaults())
                RankedMutex(0, .contents).withLock { _ in _ = defaults.names() }
            }
        }

        @Test("A lock that comes before the one around UserDefaults, taken inside it, ends the process")
        func inside() async {
            await #expect(processExitsWith: .failure) {
                SystemDefaults(UserDefaults()).use { RankedMutex(0, .opening).withLock { _ in } }
            }
        }

        @Test("A subclass of UserDefaults may take any lock")
        func subclass() async {
            final class Locking: UserDefaults {
                let lock = RankedMutex(0, .opening)
                override func dictionaryRepresentation() -> [String: Any] {
                    HeldLocks.requireNone(before: "a subclass of UserDefaults")
                    return lock.withLock { _ in [:] }
                }
            }
            await #expect(processExitsWith: .success) {
                let defaults = SystemDefaults(Locking())
                defaults.use { _ = defaults.names() }
            }
        }
    }
#endif
