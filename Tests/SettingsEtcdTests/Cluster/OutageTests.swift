import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("Without the cluster", .timeLimit(.minutes(5)))
    struct OutageTests {
        private let count = Setting<Int>("count", in: .fleet, default: 0)

        @Test("A program that cannot reach the cluster starts with its last known settings, says so, and catches up")
        func offlineStart() async throws {
            try await Fleet.with { fleet in
                let first = try fleet.store()
                try first.save("count", "5")
                try first.save("old", "1")
                first.close()
                fleet.server.kill(0)
                let problems = Recorder<SettingsError>()
                let start = Date()
                let store = try fleet.store { $0.openingPatience = .seconds(2) }
                let settings = SettingsService.fleet(store, problems)
                #expect(Date().timeIntervalSince(start) < 10)
                #expect(settings.get(count) == 5)
                try await until { problems.codes.contains(.clusterUnreachable) }
                #expect(!store.isConnected)
                settings.set(count, to: 6)
                #expect(settings.get(count) == 6)
                try fleet.server.start(0)
                try await until { problems.codes.contains(.recovered) }
                #expect(store.isConnected)
                try store.synchronize()
                #expect(try fleet.server.control("get", "test/count", "--print-value-only") == "6\n")
            }
        }

        @Test("When the network goes, reading goes on, save throws in time, and accepted changes go out in order later")
        func goneLater() async throws {
            try await Fleet.withProxy({ $0.patience = .seconds(1) }) { fleet, proxy, store in
                let problems = Recorder<SettingsError>()
                let settings = SettingsService.fleet(store, problems)
                try settings.save(count, to: 1)
                for isSilent in [true, false] {
                    proxy.setFaults(.init(isStopped: isSilent, isRefusing: !isSilent))
                    if !isSilent { proxy.cutAll() }
                    let start = Date()
                    #expect(throws: SettingsError.self) { try settings.save(count, to: 2) }
                    #expect(Date().timeIntervalSince(start) < 5)
                    #expect(settings.get(count) == 1)
                    for number in 10..<20 {
                        settings.set(Setting<Int>("n\(number)", in: .fleet, default: 0), to: number)
                    }
                    settings.set(Setting<Int>("n10", in: .fleet, default: 0), to: isSilent ? 100 : 200)
                    #expect(thrownCode { try store.synchronize() } == .pending)
                    try await until { problems.codes.contains(.pending) }
                    proxy.setFaults(.init())
                    try await until { thrownCode { try store.synchronize() } == nil }
                    #expect(
                        try fleet.server.control("get", "test/n10", "--print-value-only")
                            == (isSilent ? "100\n" : "200\n"))
                    #expect(try fleet.server.control("get", "test/n19", "--print-value-only") == "19\n")
                    // Certain after all, whatever was said: the save was given up or made, but never late.
                    try settings.save(count, to: 1)
                }
            }
        }

        @Test("A change that waited loses to a value that was written meanwhile, and that is reported")
        func overruled() async throws {
            try await Fleet.withProxy({ $0.patience = .seconds(1) }) { fleet, proxy, store in
                let problems = Recorder<SettingsError>()
                let settings = SettingsService.fleet(store, problems)
                try store.save("count", "1")
                proxy.setFaults(.init(isRefusing: true))
                proxy.cutAll()
                try await until { !store.isConnected }
                settings.set(count, to: 2)
                try store.put("other", "2")
                try fleet.server.control("put", "test/count", "3")
                proxy.setFaults(.init())
                try await until { problems.codes.contains(.overruled) && thrownCode { try store.synchronize() } == nil }
                #expect(settings.get(count) == 3 && store.text("other") == "2")
                #expect(problems.all.filter { $0.code == .overruled }.map(\.key?.name) == ["count"])
                #expect(try fleet.server.control("get", "test/count", "--print-value-only") == "3\n")
            }
        }

        @Test(
            "Changes that were accepted before the process ended are sent by the next one, also those of other programs"
        )
        func orphans() async throws {
            try await Fleet.with { fleet in
                fleet.server.kill(0)
                let stores = try (0..<3).map { _ in try fleet.store { $0.openingPatience = .milliseconds(1) } }
                for (index, store) in stores.enumerated() { try store.put("from\(index)", "\(index)") }
                try stores[0].put("from0", "10")
                for store in stores { store.close() }
                try fleet.server.start(0)
                let next = try fleet.store()
                try await until { thrownCode { try next.synchronize() } == nil }
                let other = try fleet.store(state: "elsewhere")
                #expect(other.text("from0") == "10" && other.text("from1") == "1" && other.text("from2") == "2")
            }
        }

        @Test("A store that only reads says that its only member has stopped answering, and why it cannot synchronize")
        func silentMember() async throws {
            try await Fleet.withProxy({
                ($0.patience, $0.silence, $0.access) = (.milliseconds(500), .milliseconds(500), .readOnly)
            }) { fleet, proxy, store in
                let problems = Recorder<SettingsError>()
                let settings = SettingsService.fleet(store, problems)
                try store.synchronize()
                proxy.setFaults(.init(isStopped: true))
                try await until { problems.codes.contains(.clusterUnreachable) }
                #expect(!store.isConnected && settings.get(count) == 0)
                proxy.setFaults(.init())
                try await until { problems.codes.contains(.recovered) }
                #expect(store.isConnected)
            }
        }

        @Test("Before the first read, synchronize says why the cluster could not be read")
        func causeBeforeFirstRead() async throws {
            try await Fleet.with { fleet in
                fleet.server.kill(0)
                let store = try fleet.store { ($0.patience, $0.openingPatience) = (.milliseconds(300), .seconds(2)) }
                let error = #expect(throws: SettingsError.self) { try store.synchronize() }
                #expect(error?.code == .clusterUnreachable)
                #expect(error.map { "\($0)".contains("No connection") } == true, "\(String(describing: error))")
            }
        }

        @Test("Without the cluster, what waits is no longer than the settings are many, and the last values are sent")
        func longOutage() async throws {
            try await Fleet.with { fleet in
                fleet.server.kill(0)
                let store = try fleet.store { $0.openingPatience = .milliseconds(100) }
                for number in 0..<2_000 { try store.put("n\(number % 20)", "\(number)") }
                #expect(store.cluster.state.withLock { $0.queue.entries.count } == 20)
                store.close()
                let state = try LocalState(
                    folder: fleet.stateFolder.path, prefix: "test/", addresses: fleet.server.endpoints,
                    keepsWrites: true)
                #expect(state.pending().count == 20)
                state.unlock()
                try fleet.server.start(0)
                let next = try fleet.store { $0.patience = .seconds(20) }
                try next.synchronize()
                for number in 1_980..<2_000 {
                    let value = try fleet.server.control("get", "test/n\(number % 20)", "--print-value-only")
                    #expect(value == "\(number)\n")
                }
            }
        }

        @Test("A store that is opened beside another without the cluster has the values that the other has")
        func beside() async throws {
            try await Fleet.withProxy { fleet, proxy, store in
                try store.put("a", "1")
                try store.synchronize()
                try store.save("b", "2")
                proxy.setFaults(.init(isRefusing: true))
                proxy.cutAll()
                let other = try fleet.store(endpoints: [proxy.endpoint]) { $0.openingPatience = .milliseconds(100) }
                #expect(other.text("a") == "1" && other.text("b") == "2")
            }
        }

        @Test("The last of many changes counts, whatever was under way when the store was closed")
        func closedMeanwhile() async throws {
            try await Fleet.with { fleet in
                for round in 0..<Rounds.choose(10, full: 100) {
                    let store = try fleet.store()
                    let last = 5 + round % 20
                    for number in 0...last { try store.put("a", "\(round), \(number)") }
                    store.close()
                    let next = try fleet.store()
                    try next.synchronize()
                    #expect(next.text("a") == "\(round), \(last)")
                    next.close()
                }
            }
        }

        @Test("A value that is set back while the outcome of another is unknown is sent")
        func setBack() async throws {
            try await Fleet.withProxy({ $0.patience = .seconds(1) }) { fleet, proxy, store in
                try store.save("a", "1")
                while true {
                    proxy.setFaults(.init(losesAnswer: 1))
                    let code = thrownCode { try store.save("a", "2") }
                    guard code == .clusterUnreachable else {
                        #expect(code == .outcomeUnknown)
                        break
                    }
                    // The watch was cut before the write was sent, and then nothing is sent.
                    #expect(try fleet.server.control("get", "test/a", "--print-value-only") == "1\n")
                    proxy.setFaults(.init())
                    try await until { thrownCode { try store.synchronize() } == nil }
                }
                // The watch may have told already that it was made.
                let isKnown = store.text("a") == "2"
                if !isKnown { try store.put("a", "1") }
                proxy.setFaults(.init())
                try await until { thrownCode { try store.synchronize() } == nil }
                let stored = try fleet.server.control("get", "test/a", "--print-value-only")
                #expect(stored == (isKnown ? "2\n" : "1\n"))
            }
        }

        @Test("A member that is lost is replaced by another")
        func failOver() async throws {
            try await Fleet.with(3) { fleet in
                let (store, other) = (
                    try fleet.store { $0.patience = .seconds(20) }, try fleet.store { $0.patience = .seconds(20) }
                )
                for round in 0..<3 {
                    let leader = try #require(try fleet.server.leader())
                    fleet.server.kill(leader)
                    try store.save("round", "\(round)")
                    try other.synchronize()
                    #expect(other.text("round") == "\(round)")
                    try fleet.server.start(leader)
                    try await until { (try? fleet.server.leader()) != nil }
                }
            }
        }

        @Test("Without a quorum, save throws in time, and the store is up to date again when the quorum is back")
        func quorum() async throws {
            try await Fleet.with(3) { fleet in
                let store = try fleet.store { $0.patience = .seconds(2) }
                try store.save("a", "1")
                for index in 1...2 { fleet.server.kill(index) }
                let start = Date()
                #expect(throws: SettingsError.self) { try store.save("a", "2") }
                #expect(Date().timeIntervalSince(start) < 6)
                #expect(store.text("a") == "1")
                for index in 1...2 { try fleet.server.start(index) }
                try await until { thrownCode { try store.save("a", "3") } == nil }
                #expect(store.text("a") == "3")
            }
        }
    }
}
