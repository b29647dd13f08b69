import Foundation
import SettingsKitCore
import Testing

@Suite("Migrations with failing stores, dying processes and concurrent migrations")
struct MigrationFailureTests {
    @Test(
        "If any call fails, the stores are unchanged or note the migration as under way; the next call completes it",
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
                if try !world.isUnderWay {
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
        #expect(failures > 8)
    }

    @Test(
        "At whichever call a process dies, the state is old or new, or the next call completes it",
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
                #expect(try world.isUnderWay, comment)
                #expect(span == .two || kind == .twoFunctions, comment)
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

    /// Called before the first write of "far", or of the last batch, that comes along.
    private func once(_ name: String, _ hook: Box<(@Sendable () throws -> Void)?>) -> FeedStore {
        FeedStore(willWrite: { writes in
            guard writes.contains(where: { $0.key.name == name }) else { return }
            try hook.take(replacingWith: nil)?()
        })
    }

    @Test("A value reset after another service completed the migration is not changed again by a slow one")
    func setBack() throws {
        let hook = Box<(@Sendable () throws -> Void)?>(nil)
        let (near, far) = (MemoryStore(), once("far", hook))
        hook.value = { [self] in
            let other = service(near, far)
            try other.migrate(Self.steps)
            #expect(other.get(Self.far) == 1)
            other.reset(Self.far)
        }
        let slow = service(near, far)
        #expect(try slow.migrate(Self.steps).appliedVersions == ["one"])
        #expect(slow.get(Self.far) == nil)
        #expect(slow.get(Self.near) == 1)
    }

    @Test("A migration that fails while another service completes it reports its versions as applied")
    func completedByAnother() throws {
        let hook = Box<(@Sendable () throws -> Void)?>(nil)
        let (near, far) = (MemoryStore(), once("far", hook))
        hook.value = { [self] in
            try service(near, far).migrate(Self.steps)
            throw StoreBroken()
        }
        let settings = service(near, far)
        #expect(try settings.migrate(Self.steps).appliedVersions == ["one"])
        #expect((settings.get(Self.far), settings.get(Self.near)) == (1, 1))
    }

    @Test("A migration that fails takes nothing back that another service is completing")
    func helpedMeanwhile() throws {
        let (hook, end) = (Box<(@Sendable () throws -> Void)?>(nil), Box<(@Sendable () throws -> Void)?>(nil))
        let (near, far) = (once("near", end), once("far", hook))
        let (isMid, mayGoOn, isDone) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        // Nothing that could be done again: the value is in one place only.
        let steps = [SettingsService.Migration.rename("far", in: .shared, to: Self.near)]
        far.changeFromOutside([("far", "1")])
        end.value = {
            isMid.signal()
            mayGoOn.wait()
        }
        hook.value = { [self] in
            Thread.detachNewThread {
                do { try service(near, far).migrate(steps) } catch { Issue.record(error) }
                isDone.signal()
            }
            isMid.wait()
            throw StoreBroken()
        }
        let settings = service(near, far)
        #expect(throws: SettingsError.self) { try settings.migrate(steps) }
        mayGoOn.signal()
        isDone.wait()
        #expect((settings.get(Self.far), settings.get(Self.near)) == (nil, 1))
    }

    @Test("A store that refuses has nothing noted, so that a later version can do without it")
    func withdrawn() throws {
        let near = MemoryStore()
        let far = FeedStore(willWrite: { _ in throw StoreBroken() })
        #expect(throws: SettingsError.self) { try service(near, far).migrate(Self.steps) }
        #expect(near.keys() == [])
        let without = SettingsService(stores: [.defaults: near], diagnosticSink: .init { _ in })
        #expect(try without.migrate([.version("b") { $0.set(Self.near, to: 2) }]).appliedVersions == ["b"])
    }

    @Test("A migration under way across two stores is not completed with one of them only")
    func bareStore() throws {
        let hook = Box<(@Sendable () throws -> Void)?>(nil)
        let near = FeedStore()
        let fuse = Fuse()
        let far = FusedStore(once("far", hook), fuse)
        // Dies before the other store is written.
        hook.value = {
            fuse.set(.from(0))
            throw StoreBroken()
        }
        #expect(throws: SettingsError.self) { try service(near, far).migrate(Self.steps) }
        #expect { try near.migrate(Self.steps) } throws: { SettingsError.Code.noStore ~= $0 }
        fuse.set(.none)
        let settings = service(near, far)
        try settings.migrate(Self.steps)
        #expect((settings.get(Self.far), settings.get(Self.near)) == (1, 1))
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
