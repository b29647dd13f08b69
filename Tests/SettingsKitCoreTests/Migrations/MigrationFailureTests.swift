import Foundation
import SettingsKitCore
import Testing

@Suite("Migrations with failing stores, dying processes and concurrent migrations")
struct MigrationFailureTests {
    @Test(
        "If any call fails, nothing is lost, one store with batches is unchanged, and the next call completes the migration",
        arguments: World.Kind.allCases, World.Span.allCases)
    func everyCallFails(kind: World.Kind, span: World.Span) throws {
        var (number, failures, hasFired) = (0, 0, true)
        while hasFired {
            let comment: Comment = "call \(number)"
            let world = World(kind, span)
            let problems = Recorder<SettingsError>()
            world.fuse.set(.once(number))
            do {
                try world.service(problems).migrate(world.steps)
                hasFired = world.fuse.count > number
            } catch {
                failures += 1
                #expect(error is SettingsError, comment)
                World.expectNoSecrets(in: error)
                let visible = try world.visible()
                if world.mayRunAgain {
                    world.expectNothingLost(in: visible, comment)
                } else {
                    #expect(visible == world.old, comment)
                    #expect(try world.noted == nil, comment)
                }
            }
            for problem in problems.all { World.expectNoSecrets(in: problem) }
            world.fuse.set(.none)
            try world.service().migrate(world.steps)
            try world.expectNew(comment)
            number += 1
        }
        #expect(failures >= 8)
    }

    @Test(
        "At whichever call a process dies, the state is old or new, or nothing is lost and the next call completes it",
        arguments: World.Kind.allCases, World.Span.allCases)
    func everyCallKills(kind: World.Kind, span: World.Span) throws {
        var (number, isDead) = (0, true)
        var halves = 0
        while isDead {
            let comment: Comment = "call \(number)"
            let world = World(kind, span)
            world.fuse.set(.from(number))
            _ = try? world.service().migrate(world.steps)
            isDead = world.fuse.count > number
            let visible = try world.visible()
            if visible != world.old && visible != world.new {
                halves += 1
                #expect(world.mayRunAgain, comment)
                world.expectNothingLost(in: visible, comment)
            }
            // Dies once more, while it completes it, and then again.
            for next in [number % 7, number % 13 + 3] {
                world.fuse.set(.from(next))
                _ = try? world.service().migrate(world.steps)
            }
            world.fuse.set(.none)
            try world.service().migrate(world.steps)
            try world.expectNew(comment)
            number += 1
        }
        #expect(number > 8)
        #expect((halves > 0) == (span == .two || kind == .twoFunctions))
    }

    @Test(
        "Each step runs in one of many concurrent migrations",
        arguments: World.Kind.allCases, World.Span.allCases)
    func together(kind: World.Kind, span: World.Span) throws {
        for _ in 0..<20 {
            let world = World(kind, span)
            let applied = Recorder<[String]>()
            let shared = world.service()
            inParallel(6) { number in
                do {
                    let service = number < 2 ? shared : world.service()
                    applied.append(try service.migrate(world.steps).appliedVersions)
                } catch {
                    Issue.record(error)
                }
            }
            #expect(applied.all.flatMap(\.self) == ["one", "two"])
            try world.expectNew("")
        }
    }

    private static let far = Setting<Int?>("far", in: .shared)
    private static let near = Setting<Int?>("near", in: .defaults)
    private static let steps: [SettingsService.Migration] = [
        .version("one") { t in
            t.set(far, to: 1)
            t.set(near, to: 1)
        }
    ]

    private func service(_ near: any SettingsStore, _ far: any SettingsStore) -> SettingsService {
        SettingsService(stores: [.defaults: near, .shared: far], diagnosticSink: .init { _ in })
    }

    @Test("A store that refuses keeps the ledger from being written")
    func withdrawn() throws {
        let near = MemoryStore()
        let far = FeedStore(willWrite: { _ in throw StoreBroken() })
        #expect(throws: SettingsError.self) { try service(near, far).migrate(Self.steps) }
        #expect(near.keys() == [])
        let without = SettingsService(stores: [.defaults: near], diagnosticSink: .init { _ in })
        #expect(try without.migrate([.version("b") { $0.set(Self.near, to: 2) }]).appliedVersions == ["b"])
    }

    @Test("A change made by another service during a migration is used and kept", arguments: [false, true])
    func changedMeanwhile(isFar: Bool) throws {
        let (near, far) = (FeedStore(["a": Data("1".utf8)]), FeedStore(["a": Data("1".utf8)]))
        let settings = service(near, far)
        let other = service(near, far)
        let source = Setting<Int>("a", in: isFar ? .shared : .defaults, default: 0)
        let runs = Box(0)
        try settings.migrate([
            .version("one") { t in
                let value = t.get(source)
                runs.value += 1
                if runs.value == 1 { other.set(source, to: 5) }
                t.set(Self.near, to: value * 10)
                t.set(Self.far, to: value * 10)
            }
        ])
        #expect((settings.get(Self.near), settings.get(Self.far)) == (50, 50))
        #expect(runs.value == 2)
        #expect(settings.get(source) == 5)
    }

    @Test("A store that never takes a batch is an error, and not waited for")
    func endless() throws {
        struct Refusing: SettingsStore {
            let base = MemoryStore()
            var feed: SettingsStoreFeed? { base.feed }
            func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }
            func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }
            func apply(_ batch: SettingsStoreBatch) -> Bool { false }
        }
        let near = MemoryStore()
        #expect { try service(near, Refusing()).migrate(Self.steps) } throws: { SettingsError.Code.conflict ~= $0 }
        #expect { try service(Refusing(), near).migrate(Self.steps) } throws: { SettingsError.Code.conflict ~= $0 }
        #expect(near.keys() == [])
    }
}
