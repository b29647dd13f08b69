import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithSlowEtcd {
    @Suite("With a member that hangs", .timeLimit(.minutes(5)))
    struct HungMemberTests {
        enum Hanging: CaseIterable {
            /// The process is stopped.
            case member
            /// Nothing passes on its connections.
            case connection
        }

        @Test(
            "Another member is watched: a change arrives although nothing is asked, and synchronize succeeds",
            arguments: Hanging.allCases, [false, true])
        func change(hanging: Hanging, synchronizes: Bool) async throws {
            try await Fleet.with(3) { fleet in
                let proxies = try fleet.server.ports.map { try FaultyProxy(to: $0) }
                defer { for proxy in proxies { proxy.close() } }
                let store = try fleet.store(endpoints: proxies.map(\.endpoint)) { $0.silence = .seconds(1) }
                try store.save("a", "first")
                for index in proxies.indices {
                    try await until { thrownCode { try store.synchronize() } == nil }
                    switch hanging {
                    case .member: fleet.server.pause(index, true)
                    case .connection: proxies[index].setFaults(.init(isStopped: true))
                    }
                    defer {
                        fleet.server.pause(index, false)
                        proxies[index].setFaults(.init())
                    }
                    // The members that do not hang may have to elect another leader first.
                    let put = ["put", "test/a", "\(index)"]
                    try #require(try await eventually { try fleet.server.tryControl(at: (index + 1) % 3, put) != nil })
                    // The bound is five seconds; the rest is for a busy machine.
                    let hasArrived = try await eventually(within: 30) {
                        if synchronizes { return thrownCode { try store.synchronize() } == nil }
                        return store.text("a") == "\(index)"
                    }
                    #expect(hasArrived && store.text("a") == "\(index)")
                }
            }
        }
    }
}
