import Foundation
import SettingsKitCore
import Testing

@Suite("Processes share a store, and are killed", .timeLimit(Rounds.timeLimit), .ownThreads)
struct ProcessTests {
    private static let counter = Setting<Int>("counter", in: .defaults, default: 0)

    @Test(
        "Every acknowledged change survives the killing of its process, batches whole, many times",
        arguments: zip(StoreKind.allCases, [1_000, 50, 200]))
    func killed(kind: StoreKind, roundCount: Int) async throws {
        try await kind.withMedium { medium in
            let seed = UInt64.random(in: .min ... .max)
            print("killed: \(kind), seed \(seed)")
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<Rounds.choose(20, full: roundCount) {
                let worker = try Worker("write", medium.path)
                let acknowledged = await worker.runUntilKilled(afterLines: .random(in: 1...30, using: &generator))
                let store = try medium.fresh()
                let (own, left) = (try store.number("own"), try store.number("left"))
                #expect((acknowledged...(acknowledged + 1)).contains(own), "seed \(seed)")
                #expect(try left == store.number("right") && left >= acknowledged, "seed \(seed)")
                // A process that has recovered it writes it, too, or all rounds would be in one journal.
                try store.synchronize()
                try medium.check()
            }
            let store = try medium.elsewhere()
            // The last process was killed between the two, perhaps.
            #expect(try (0...1).contains(store.number("own") - store.number("left")) && store.number("left") > 0)
        }
    }

    @Test(
        "Processes that update one counter and set keys of their own lose nothing, and a listener ends on the total",
        arguments: StoreKind.allCases)
    func together(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let (service, problems) = SettingsService.over(try medium.open(patience: .seconds(60)))
            let changes = service.changes(of: Self.counter)
            let count = Rounds.choose(1_000, full: 10_000)
            let workers =
                try (0..<2).map { _ in try Worker("count", medium.path, "\(count)") }
                + (0..<2).map { try Worker("fill", medium.path, "worker \($0)", "\(count)") }
            for _ in 0..<count { try service.save { $0.update(Self.counter) { $0 += 1 } } }
            var last = 0
            for await change in changes {
                #expect(change.oldValue == last)
                last = change.newValue
                if last == 3 * count { break }
            }
            for worker in workers { #expect(await worker.status() == 0) }
            try service.synchronize()
            var expected = ["counter": "\(3 * count)"]
            for worker in 0..<2 { for number in 0..<count { expected["worker \(worker) \(number)"] = "\(number)" } }
            #expect(try medium.fresh().texts == expected)
            #expect(try medium.elsewhere().texts == expected)
            try medium.check()
            #expect(problems.all.isEmpty)
        }
    }

    @Test(
        "A limit on the size of files causes an error and no loss, and writing works once it is raised",
        arguments: zip(StoreKind.allCases, [20_000, 20_000, 200_000]))
    func limited(kind: StoreKind, size: Int) async throws {
        try await kind.withMedium { medium in
            try await Worker.run("limited", medium.path, "\(size)")
            let store = try medium.fresh()
            let size = try #require(store.text("text")?.count) - 2
            #expect(size > 100)
            #expect(try store.number("afterwards") == size)
        }
    }

    @Test(
        "A change by another process is noticed without a request, whether the process exits or dies",
        arguments: StoreKind.allCases, ["set", "set-and-die"])
    func noticed(kind: StoreKind, command: String) async throws {
        try await kind.withMedium { medium in
            let (service, problems) = SettingsService.over(try medium.open())
            let a = Setting<Int>("a", in: .defaults, default: 0)
            service.set(a, to: 1)
            try service.synchronize()
            let changes = service.changes(of: a)
            await (try Worker(command, medium.path, "a", "5")).status()
            for await change in changes {
                #expect(change.oldValue == 1 && change.newValue == 5 && change.origin == .external)
                break
            }
            #expect(service.get(a) == 5)
            #expect(problems.all.isEmpty)
        }
    }
}
