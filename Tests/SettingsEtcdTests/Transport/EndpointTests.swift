import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("Members and their clients", .ownThreads)
struct EndpointTests {
    private let start = ContinuousClock.now

    /// Counts the clients of each member.
    private func spread(_ clients: inout [Endpoints], at now: ContinuousClock.Instant) -> [String: Int] {
        var counts: [String: Int] = [:]
        for index in clients.indices { counts[clients[index].address(at: now), default: 0] += 1 }
        return counts
    }

    @Test(
        "They are spread evenly, also while a member is lost, and some minutes after it is back",
        arguments: 0..<10 as Range<UInt64>)
    func spread(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let list = try Endpoints(["http://a", "http://b", "http://c"])
        var clients = (0..<600).map { _ in list.shuffled(using: &generator) }
        #expect(spread(&clients, at: start).values.allSatisfy { (140...260).contains($0) })
        for index in clients.indices { clients[index].leave("http://a", at: start) }
        let without = spread(&clients, at: start)
        #expect(without["http://a"] == nil && without.values.allSatisfy { (220...380).contains($0) })
        let again = spread(&clients, at: start + .seconds(60))
        #expect(again.values.allSatisfy { (140...260).contains($0) }, "\(again)")
    }

    @Test("A member that stays lost is tried less and less often, until it has answered")
    func lost() throws {
        var endpoints = try Endpoints(["http://a", "http://b"])
        var now = start
        var pauses: [Duration] = []
        func leaveAndReturn() {
            endpoints.leave("http://a", at: now)
            let left = now
            while endpoints.address(at: now) != "http://a" { now += .seconds(1) }
            pauses.append(left.duration(to: now))
        }
        for _ in 0..<8 { leaveAndReturn() }
        #expect((30...61).contains(pauses[0] / .seconds(1)) && (900...1801).contains(pauses[7] / .seconds(1)))
        endpoints.succeed("http://b")
        leaveAndReturn()
        endpoints.succeed("http://a")
        leaveAndReturn()
        #expect(pauses[8] > .seconds(800) && pauses[9] < .seconds(62))
    }

    /// Refuses each connection, and notes to which member the first one was to go.
    private final class NoMember: GatewayTransport {

        let first = Box<String?>(nil)

        func send(
            _ request: GatewayRequest, call: GatewayCall,
            _ receive: (UnsafeBufferPointer<UInt8>) throws(GatewayFailure) -> Void
        ) throws(GatewayFailure) -> Int {
            if first.value == nil { first.value = request.url.split(separator: "/")[1].description }
            throw .notConnected("as it says")
        }
    }

    @Test("Stores with one list begin with each of the members")
    func stores() throws {
        var counts: [String: Int] = [:]
        for _ in 0..<60 {
            let transport = NoMember()
            var options = EtcdStore.Options()
            options.keepsState = false
            let store = try EtcdStore(
                endpoints: ["http://a", "http://b", "http://c"], prefix: "test/", state: nil, options: options,
                transport: transport)
            counts[transport.first.value ?? "none", default: 0] += 1
            store.close()
        }
        #expect(counts.count == 3 && counts.values.allSatisfy { $0 >= 5 }, "\(counts)")
    }
}
