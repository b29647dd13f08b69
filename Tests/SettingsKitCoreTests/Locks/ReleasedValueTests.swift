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

    /// Where a service lets go of values.
    enum ValueRelease: String, Codable, CaseIterable, Sendable {
        case inexhaustiveFeed, mergedChanges, replacedStore, releasedSetting, reset

        private static func setting() -> SettingsService.Setting<Mortal> {
            .init("mortal", in: .defaults, default: Mortal(0), transformer: MortalTransformer())
        }

        func run() {
            let store = FeedStore(isExhaustive: self != .inexhaustiveFeed)
            let settings = SettingsService.over(store)
            let mortal = Self.setting()
            switch self {
            case .inexhaustiveFeed: rejectWhileListening(to: mortal, settings, store)
            case .mergedChanges: merge(mortal, settings, store)
            case .replacedStore: replace(mortal, settings, store)
            case .releasedSetting:
                listenToAnotherSetting(settings, store)
                settings.set(mortal, to: Mortal(2))
            case .reset: reset(mortal, settings, store)
            }
        }

        private func rejectWhileListening(
            to mortal: SettingsService.Setting<Mortal>, _ settings: SettingsService, _ store: FeedStore
        ) {
            store.changeFromOutside([("mortal", "1")])
            _ = settings.get(mortal).number
            let subscription = settings.observe(mortal) { _ in }
            for text in ["2", "oops"] { store.changeFromOutside([("mortal", text)]) }
            subscription.cancel()
            for number in 3...4 { settings.set(mortal, to: Mortal(number)) }
        }

        private func merge(
            _ mortal: SettingsService.Setting<Mortal>, _ settings: SettingsService, _ store: FeedStore
        ) {
            let subscription = settings.observe(mortal) { _ in }
            settings.whileDelivering {
                for number in 0..<1_500 {
                    settings.set(mortal, to: Mortal(number))
                    if number % 100 == 0 { _ = settings.get(mortal).number }
                    if number % 130 == 0 { store.changeFromOutside([("mortal", "oops \(number)")]) }
                }
                settings.register(FeedStore(["mortal": Data("77".utf8)]), for: .defaults)
                settings.set(mortal, to: Mortal(5))
                settings.register(store, for: .defaults)
            }
            subscription.cancel()
            settings.set(mortal, to: Mortal(3))
        }

        private func replace(
            _ mortal: SettingsService.Setting<Mortal>, _ settings: SettingsService, _ store: FeedStore
        ) {
            settings.set(mortal, to: Mortal(1))
            store.changeFromOutside([("mortal", "oops")])
            _ = settings.get(mortal).number
            settings.register(FeedStore(["mortal": Data("77".utf8)]), for: .defaults)
            _ = settings.get(mortal).number
        }

        /// The setting ends before this function returns.
        private func listenToAnotherSetting(_ settings: SettingsService, _ store: FeedStore) {
            let mortal = Self.setting()
            settings.set(mortal, to: Mortal(1))
            _ = settings.get(mortal).number
            let subscription = settings.observe(mortal) { _ in }
            store.changeFromOutside([("mortal", "oops")])
            subscription.cancel()
        }

        private func reset(
            _ mortal: SettingsService.Setting<Mortal>, _ settings: SettingsService, _ store: FeedStore
        ) {
            for number in 0..<3 {
                settings.set(mortal, to: Mortal(number))
                _ = settings.get(mortal).number
                store.changeFromOutside([("mortal", "oops")])
                settings.reset(mortal)
                for text in ["7", nil] { store.changeFromOutside([("mortal", text)]) }
            }
        }
    }

    @Suite("A service holds no lock when it releases values or runs actions", .timeLimit(Rounds.timeLimit))
    struct ReleasedValueTests {
        @Test("A service releases values while no lock is held", arguments: ValueRelease.allCases)
        func values(release: ValueRelease) async {
            await #expect(processExitsWith: .success) { [release] in release.run() }
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
