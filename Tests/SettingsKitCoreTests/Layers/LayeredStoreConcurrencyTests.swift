import Foundation
import SettingsKitCore
import Testing

@Suite("Layers (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct LayeredStoreConcurrencyTests {
    @Test(
        "With eight writers on all layers, changes form a chain, and the last published one is what is read",
        arguments: StoreKind.allCases, StoreKind.allCases)
    func eightWriters(upperKind: StoreKind, writableKind: StoreKind) throws {
        let (upper, user, lower) = (upperKind.make().serialized, writableKind.make(), upperKind.make().serialized)
        let layered = try LayeredStore([
            .locked(upper, name: "managed"), .environment(prefix: "P_", ["P_C": "7"]), .writable(user),
            .fallback(lower, name: "system"),
        ])
        let names = ["a", "b", "c"]
        let last = Box<[String: [SettingsStoreCandidate]]>([:])
        let (log, breaks) = (FeedLog(layered), Recorder<String>())
        let subscription = layered.feed?.observe { changes, _ in
            for change in changes {
                if let before = last.value[change.name], let old = change.oldCandidates, before != old {
                    breaks.append("\(change.name): after \(before.summary) came \(old.summary)")
                }
                last.value[change.name] = change.newCandidates
            }
        }
        inParallel(8) { thread in
            for round in 1...200 {
                let name = names[round % names.count]
                let text = round % 5 == 0 ? nil : "\(thread)-\(round)"
                do {
                    switch thread % 4 {
                    case 0: try upper.put(name, round % 2 == 0 ? nil : text)
                    case 1: try lower.put(name, text)
                    case 2: try user.serialized.put(name, text)
                    default: try layered.put(name, text)
                    }
                } catch SettingsError.Code.locked {
                    // As it should be.
                } catch {
                    breaks.append("\(error)")
                }
            }
        }
        for name in names {
            let now = try layered.candidates(for: key(name))
            #expect(log.last.value[name] == now)
            #expect(now.first { $0.layer == nil }?.data == (try user.get(key(name))))
            #expect(now.first { $0.layer == "managed" }?.data == (try upper.get(key(name))))
            #expect(now.first { $0.layer == "system" }?.data == (try lower.get(key(name))))
        }
        #expect(breaks.all.isEmpty)
        subscription?.cancel()
    }

    @Test("What layers change while the store is made is in the store afterwards")
    func changesAtStart() throws {
        for _ in 0..<Rounds.choose(30, full: 300) {
            let (upper, user) = (MemoryStore(), MemoryStore())
            for number in 0..<200 { try user.put("\(number)", "0") }
            let made = Box<LayeredStore?>(nil)
            inParallel(3) { thread in
                if thread == 0 {
                    made.value = try? LayeredStore([.locked(upper, name: "managed"), .writable(user)])
                } else {
                    for number in 0..<200 {
                        let (store, text) = (thread == 1 ? upper : user, number % 3 == 0 ? nil : "\(thread)")
                        store.set(key("\(number)"), to: text.map { Data($0.utf8) })
                    }
                }
            }
            let layered = try #require(made.value)
            for number in 0..<200 {
                let now = try layered.candidates(for: key("\(number)"))
                #expect(now.first { $0.layer == nil }?.data == user.get(key("\(number)")))
                #expect(now.first { $0.layer == "managed" }?.data == upper.get(key("\(number)")))
            }
        }
    }

    @Test("A layer that becomes readable while others write loses no change, and the chain ends on what is read")
    func becomingReadable() async throws {
        for _ in 0..<Rounds.choose(20, full: 200) {
            let (system, user) = (GatedStore(["a": "1"]), MemoryStore())
            system.isReadable.value = false
            let layered = try LayeredStore([.writable(user), .fallback(system, name: "system")])
            let log = FeedLog(layered)
            inParallel(4) { thread in
                for round in 0..<50 {
                    let data = Data("\(thread)-\(round)".utf8)
                    switch thread {
                    case 0: system.isReadable.value = round > 10
                    case 1: system.set(key("a"), to: data)
                    case 2: user.set(key("a"), to: round % 2 == 0 ? nil : data)
                    default: _ = try? layered.candidates(for: key("a"))
                    }
                }
            }
            try await until { (try? layered.candidates(for: key("a"))) != nil && layered.feed?.isExhaustive == true }
            let now = try layered.candidates(for: key("a"))
            #expect(now.last?.data == system.base.get(key("a")))
            #expect(log.last.value["a"] == now)
        }
    }
}
