#if DEBUG
    import Foundation
    import SettingsKitCore
    import SettingsTestSupport
    import Testing

    /// A value at whose end no lock may be held.
    private final class Mortal: Sendable {
        let number: Int

        init(_ number: Int) { self.number = number }
        deinit { HeldLocks.requireNone(before: "a deinit") }
    }

    private struct MortalTransformer: Transformer {
        func transformValue(_ value: Mortal) -> Data { Data("\(value.number)".utf8) }

        func untransformValue(_ output: Data) throws -> Mortal {
            guard let number = Int(String(decoding: output, as: UTF8.self)) else { throw StoreBroken() }
            return Mortal(number)
        }
    }

    /// Reads a number, or throws an error at whose end no lock may be held.
    private struct NumberTransformer: Transformer {
        final class Problem: Error {
            deinit { HeldLocks.requireNone(before: "a deinit") }
        }

        func transformValue(_ value: Int) -> Data { Data("\(value)".utf8) }

        func untransformValue(_ output: Data) throws -> Int {
            guard let number = Int(String(decoding: output, as: UTF8.self)) else { throw Problem() }
            return number
        }
    }

    @Suite("A service holds no lock when it releases values or runs actions", .timeLimit(Rounds.timeLimit))
    struct ReleasedValueTests {
        /// Sets, rejects, merges, replaces and forgets values of a setting, which ends before this function returns.
        fileprivate static func use(_ settings: SettingsService, _ store: FeedStore) {
            let mortal = SettingsService.Setting<Mortal>(
                "mortal", in: .defaults, default: Mortal(0), transformer: MortalTransformer())
            func change(_ text: String?) { store.changeFromOutside([("mortal", text)]) }
            for number in 0..<3 {
                settings.set(mortal, to: Mortal(number))
                _ = settings.get(mortal).number
                change("oops")
                settings.reset(mortal)
                for text in ["7", nil] { change(text) }
            }
            let subscription = settings.observe(mortal) { _ in }
            // Fewer than a thread delivers in a row, so that all are delivered when this returns.
            settings.mergeChanges(beyond: 100)
            settings.whileDelivering {
                for number in 0..<200 {
                    settings.set(mortal, to: Mortal(number))
                    if number % 10 == 0 { _ = settings.get(mortal).number }
                    if number % 13 == 0 { store.changeFromOutside([("mortal", "oops \(number)")]) }
                }
                settings.register(FeedStore(["mortal": Data("77".utf8)]), for: .defaults)
                settings.set(mortal, to: Mortal(5))
                settings.register(store, for: .defaults)
            }
            for text in ["2", "oops"] { change(text) }
            subscription.cancel()
            for number in 3...4 { settings.set(mortal, to: Mortal(number)) }
            change("oops")
            settings.register(FeedStore(["mortal": Data("77".utf8)]), for: .defaults)
            _ = settings.get(mortal).number
            settings.register(store, for: .defaults)
        }

        @Test("A service releases values while no lock is held", arguments: [true, false])
        func values(isExhaustive: Bool) async {
            await #expect(processExitsWith: .success) { [isExhaustive] in
                let store = FeedStore(isExhaustive: isExhaustive)
                let settings = SettingsService.over(store)
                ReleasedValueTests.use(settings, store)
                settings.reset(scope: .defaults)
                ReleasedValueTests.use(settings, store)
            }
        }

        @Test("A service releases the errors of a coding while no lock is held")
        func errors() async {
            await #expect(processExitsWith: .success) {
                let store = FeedStore()
                let settings = SettingsService.over(store)
                let number = SettingsService.Setting<Int>(
                    "number", in: .defaults, default: 0, transformer: NumberTransformer())
                store.changeFromOutside([("number", "oops")])
                _ = settings.get(number)
                // The last errors are kept.
                for _ in 0..<100 { settings.report(SettingsError(.conflict)) }
                for value in 1...2 { settings.set(number, to: value) }
            }
        }

        @Test("The first listener to a record runs the action of the store's feed while no lock is held")
        func firstListener() async {
            await #expect(processExitsWith: .success) {
                let store = FeedStore()
                let isRun = Box(false)
                store.feed?.onFirstListener {
                    HeldLocks.requireNone(before: "an action")
                    isRun.value = true
                }
                let record = try SettingsStorage<Row>(name: "row", in: SettingsService.over(store))
                let subscription = record.observe { _ in }
                subscription.cancel()
                try #require(isRun.value)
            }
        }
    }
#endif
