import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithSlowEtcd {
    @Suite("When the answer to a write is lost", .timeLimit(.minutes(5)))
    struct LostAnswerTests {
        enum Fault: String, CaseIterable, Sendable {
            case connectionsAreRefused, memberIsKilled, answerIsCut, answerIsJunk, requestIsLate, requestIsDoubled

            func faults(whileDead: @escaping @Sendable () -> Void = {}) -> FaultyProxy.Faults {
                switch self {
                case .connectionsAreRefused, .memberIsKilled: .init(dies: 1, whileDead: whileDead)
                case .answerIsCut: .init(losesWrite: 1)
                case .answerIsJunk: .init(junk: 1)
                case .requestIsLate: .init(isLate: 1)
                case .requestIsDoubled: .init(duplicates: 1)
                }
            }
        }

        private let count = Setting<Int>("count", in: .fleet, default: 0)

        @Test("An increment counts once", arguments: Fault.allCases)
        func increments(fault: Fault) async throws {
            try await Fleet.withProxy({ $0.patience = .seconds(60) }) { fleet, proxy, store in
                let faults = fault.faults {
                    // For a time the connections are refused; the store tries again meanwhile.
                    guard fault == .memberIsKilled else { return Thread.sleep(forTimeInterval: 0.15) }
                    fleet.server.kill(0)
                    #expect(throws: Never.self) { try fleet.server.start(0) }
                }
                let settings = SettingsService.fleet(store)
                // The client's own key is made.
                try settings.save(count, to: 0)
                for number in 1...8 {
                    proxy.setNextFault(faults)
                    try settings.save { $0.update(count) { $0 += 1 } }
                    #expect(try fleet.server.control("get", "test/count", "--print-value-only") == "\(number)\n")
                }
            }
        }
    }
}
