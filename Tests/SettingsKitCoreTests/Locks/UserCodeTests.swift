#if DEBUG
    import Foundation
    @testable import SettingsKitCore
    import SettingsTestSupport
    import Testing

    /// Code of a user that the library runs.
    enum UserCode: String, Codable, CaseIterable, Sendable {
        case storeOfTwoFunctions, store, validation, wording, casesOfType, endOfSubscription, readerOfStream

        private enum Level: String, Codable, CaseIterable, Sendable { case low, high }

        /// Has the library run it. Reading and writing find nothing that would be decoded or encoded.
        func run() {
            switch self {
            case .storeOfTwoFunctions: _ = try? TwoFunctionStore().serialized.get(key("a"))
            case .store: _ = SettingsService.over(FeedStore()).get(Setting<Int>("a", in: .defaults, default: 0))
            case .validation: _ = SettingsService.Validation<Int>("must be odd") { $0 % 2 == 1 }.accepts(1)
            case .wording: _ = SettingsService.Validation<Level>.oneOf([.low]).description
            case .casesOfType: _ = Setting<Level>("level", in: .defaults, default: .low).expected
            case .endOfSubscription: SettingsService.Subscription {}.cancel()
            case .readerOfStream: push(to: StreamSource<Int>(limit: 1) { $1 })
            }
        }

        /// Pushes each element when the one before has been read, so that the reader sometimes waits for it.
        private func push(to source: StreamSource<Int>) {
            let last = Box(0)
            Task { while let element = await source.next() { last.value = element } }
            for number in 1...200 {
                source.push(number)
                while last.value < number { sched_yield() }
            }
        }
    }

    @Suite("Code of a user runs while no lock is held", .timeLimit(Rounds.timeLimit))
    struct UserCodeTests {
        /// Any other mutex may be taken inside one of a store.
        @Test("Code of a user that the library runs with a lock held ends the process", arguments: UserCode.allCases)
        func checked(code: UserCode) async {
            await #expect(processExitsWith: .success) { [code] in code.run() }
            await #expect(processExitsWith: .failure) { [code] in
                RankedMutex(0, .store).withLock { _ in code.run() }
            }
        }
    }
#endif
