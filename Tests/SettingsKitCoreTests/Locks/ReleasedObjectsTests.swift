#if DEBUG
    import Foundation
    @testable import SettingsKitCore
    import SettingsTestSupport
    import Testing

    @Suite("Objects of a user are released while no lock is held")
    struct ReleasedObjectsTests {
        /// An object of a user, at whose end no lock may be held.
        private final class Mortal: Error, Sendable {
            deinit { HeldLocks.requireNone(before: "a deinit") }
        }

        @Test("Elements of a stream are released without a lock", arguments: ["skipped", "read", "left"])
        func elements(fate: String) async {
            await #expect(processExitsWith: .success) { [fate] in
                let source = StreamSource<Mortal>(limit: 2) { _, newer in newer }
                for _ in 0..<(fate == "skipped" ? 3 : 2) { source.push(Mortal()) }
                if fate == "read" { for _ in 0..<2 { _ = await source.next() } }
                if fate == "left" { source.end() }
                withExtendedLifetime(source) {}
            }
        }

        @Test("A listener that ends itself is released without a lock", arguments: [true, false])
        func listeners(isGroup: Bool) async {
            await #expect(processExitsWith: .success) { [isGroup] in
                let settings = SettingsService.over(MemoryStore())
                let number = SettingsService.Setting<Int>("number", in: .defaults, default: 0)
                let own = Box<SettingsService.Subscription?>(nil)
                func subscribe() -> SettingsService.Subscription {
                    let mortal = Mortal()
                    let body: @Sendable () -> Void = {
                        withExtendedLifetime(mortal) { own.take(replacingWith: nil)?.cancel() }
                    }
                    if isGroup { return settings.observe(in: .defaults) { _ in body() } }
                    return settings.observe(number) { _ in body() }
                }
                own.value = subscribe()
                settings.set(number, to: 1)
            }
        }

        @Test("Errors that the diagnostics forget are released without a lock")
        func errors() async {
            await #expect(processExitsWith: .success) {
                let diagnostics = Diagnostics(sink: .none)
                for _ in 0...CoreLimits.recentErrors {
                    diagnostics.report(SettingsError(.readFailed, underlying: Mortal()))
                }
            }
        }
    }
#endif
