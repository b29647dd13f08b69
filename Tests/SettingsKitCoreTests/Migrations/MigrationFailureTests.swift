import Foundation
import SettingsKitCore
import Testing

/// Counts the calls of some stores together, and has one of them fail, or all from one on.
private final class Fuse: Sendable {
    enum Fault: Sendable {
        case none
        case once(Int)
        /// As if the process died: nothing has an effect from this call on.
        case from(Int)
    }

    private let state = Mutex((fault: Fault.none, count: 0))

    var count: Int { state.withLock { $0.count } }

    func set(_ fault: Fault) { state.withLock { $0 = (fault, 0) } }

    func call() throws {
        try state.withLock { state in
            defer { state.count += 1 }
            switch state.fault {
            case .once(let number) where number == state.count: throw StoreBroken()
            case .from(let number) where number <= state.count: throw StoreBroken()
            default: break
            }
        }
    }
}

/// One or two stores that an older version of a program has left, and what a newer one makes of them.
private struct World {
    /// What a message must not contain.
    static let secrets = ["berlin", "BERLIN", "anna", "4711"]

    let fuse = Fuse()
    let stores: [SettingsService.Scope: any SettingsStore]
    /// Whether a step may run again after it was applied in part.
    let mayRunAgain: Bool
    private let farScope: SettingsService.Scope

    init(hasBatches: Bool, isOneStore: Bool) {
        let (near, far) = (["OldCity": "\"berlin\"", "other": "1"], ["oldName": "\"anna\"", "mode": "4711"])
        if isOneStore {
            stores = [.defaults: Self.make(near.merging(far) { $1 }, hasBatches, fuse)]
        } else {
            stores = [.defaults: Self.make(near, hasBatches, fuse), .shared: Self.make(far, hasBatches, fuse)]
        }
        farScope = isOneStore ? .defaults : .shared
        mayRunAgain = !isOneStore || !hasBatches
    }

    private static func make(_ contents: [String: String], _ hasBatches: Bool, _ fuse: Fuse) -> any SettingsStore {
        let contents = contents.mapValues { Data($0.utf8) }
        if hasBatches {
            return FeedStore(
                contents, willGet: { _ in try fuse.call() }, willWrite: { _ in try fuse.call() },
                willSynchronize: { try fuse.call() })
        }
        return TwoFunctionStore(contents, willGet: { _ in try fuse.call() }, willSet: { _, _ in try fuse.call() })
    }

    var steps: [SettingsService.Migration] {
        let mayRunAgain = mayRunAgain
        let city = Setting<String>("city", in: .defaults, default: "")
        let name = Setting<String>("name", in: .defaults, default: "")
        let mode = Setting<Int>("mode", in: farScope, default: 0)
        let count = Setting<Int>("count", in: .defaults, default: 0)
        let farCount = Setting<Int>("farCount", in: farScope, default: 0)
        return [
            .rename("OldCity", to: city) { (old: String) in old.uppercased() },
            .rename("oldName", in: farScope, to: name),
            .version("one") { t in
                t[count] = mayRunAgain ? 1 : t[count] + 1
                t.set(mode, to: 2)
            },
            .version("two") { t in
                t[farCount] = mayRunAgain ? 1 : t[farCount] + 1
                t.reset(Setting<Int>("other", in: .defaults, default: 0))
            },
        ]
    }

    func service(_ problems: Recorder<SettingsError>? = nil) -> SettingsService {
        SettingsService(stores: stores, diagnosticSink: .init { problems?.append($0) })
    }

    /// The values in all stores, and what the ledger says.
    func visible() throws -> [String: String] {
        fuse.set(.none)
        let names = ["OldCity", "oldName", "other", "city", "name", "mode", "count", "farCount"]
        var found: [String: String] = [:]
        for store in stores.values {
            for name in names + [SettingsService.migrationLedger] {
                if let text = try store.text(name) { found[name] = text }
            }
        }
        return found
    }

    var old: [String: String] { ["OldCity": "\"berlin\"", "other": "1", "oldName": "\"anna\"", "mode": "4711"] }
    var new: [String: String] {
        [
            "city": "\"BERLIN\"", "name": "\"anna\"", "count": "1", "mode": "2", "farCount": "1",
            SettingsService.migrationLedger: "[\"one\",\"two\"]",
        ]
    }

    /// Expects what may be visible after a migration that did not succeed.
    func expectNothingLost(_ comment: Comment) throws {
        let visible = try visible()
        if visible == old || visible == new { return }
        // A state in between has each value under its old name or its new one.
        #expect(mayRunAgain, comment)
        #expect(visible["OldCity"] ?? visible["city"] != nil, comment)
        #expect(visible["oldName"] ?? visible["name"] == "\"anna\"", comment)
        #expect(visible["mode"] != nil, comment)
    }
}

@Suite("Migrations with failing stores, dying processes and concurrent migrations")
struct MigrationFailureTests {
    @Test(
        "If any call fails, nothing is lost, one store with batches is unchanged, and the next call completes the migration",
        arguments: [false, true], [false, true])
    func everyCallFails(hasBatches: Bool, isOneStore: Bool) throws {
        var (number, failures, hasFired) = (0, 0, true)
        while hasFired {
            let comment: Comment = "call \(number)"
            let world = World(hasBatches: hasBatches, isOneStore: isOneStore)
            let problems = Recorder<SettingsError>()
            world.fuse.set(.once(number))
            var messages = ""
            do {
                try world.service(problems).migrate(world.steps)
                hasFired = world.fuse.count > number
            } catch {
                failures += 1
                messages = "\(error) \(String(reflecting: error))"
                #expect(error is SettingsError, comment)
                try world.expectNothingLost(comment)
                if !world.mayRunAgain { #expect(try world.visible() == world.old, comment) }
            }
            messages += "\(problems.all)"
            for secret in World.secrets { #expect(!messages.contains(secret)) }
            world.fuse.set(.none)
            try world.service().migrate(world.steps)
            #expect(try world.visible() == world.new, comment)
            number += 1
        }
        #expect(failures >= 8)
    }

    @Test(
        "At whichever call a process dies, the state is old or new, or nothing is lost and the next call completes it",
        arguments: [false, true], [false, true])
    func everyCallKills(hasBatches: Bool, isOneStore: Bool) throws {
        var (number, isDead) = (0, true)
        while isDead {
            let comment: Comment = "call \(number)"
            let world = World(hasBatches: hasBatches, isOneStore: isOneStore)
            world.fuse.set(.from(number))
            _ = try? world.service().migrate(world.steps)
            isDead = world.fuse.count > number
            try world.expectNothingLost(comment)
            // Dies once more, while it completes it, and then again.
            for next in [number % 7, number % 13 + 3] {
                world.fuse.set(.from(next))
                _ = try? world.service().migrate(world.steps)
            }
            world.fuse.set(.none)
            try world.service().migrate(world.steps)
            #expect(try world.visible() == world.new, comment)
            number += 1
        }
        #expect(number > 8)
    }

    @Test("Each step runs in one of many concurrent migrations", arguments: [false, true], [false, true])
    func together(hasBatches: Bool, isOneStore: Bool) throws {
        for _ in 0..<20 {
            let world = World(hasBatches: hasBatches, isOneStore: isOneStore)
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
            #expect(try world.visible() == world.new)
        }
    }
}
