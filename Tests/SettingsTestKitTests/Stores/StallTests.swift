import Foundation
import SettingsKitCore
import Testing

/// Another process keeps a store's files locked: it is stopped, in a debugger for example.
@Suite("A stalled process stalls no other", .timeLimit(Rounds.timeLimit), .ownThreads)
struct StallTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)
    private static let b = Setting<Int>("b", in: .defaults, default: 0)

    /// A store in which `a` is 1, and a process that has locked its files and is stopped.
    private struct Stall {
        let medium: any StoreMedium
        let store: any SettingsStore
        let service: SettingsService
        let problems: Recorder<SettingsError>
        private let holder: Worker

        init(_ medium: any StoreMedium, patience: Duration) async throws {
            self.medium = medium
            store = try medium.open(patience: patience)
            (service, problems) = SettingsService.over(store)
            try service.save(StallTests.a, to: 1)
            try service.synchronize()
            holder = try Worker("hold", medium.path)
            await holder.wait(for: "locked")
            try await holder.hasStopped()
        }

        var codes: [SettingsError.Code] { problems.all.map(\.code) }

        func release() { holder.send(SIGCONT) }

        func kill() async {
            holder.send(SIGKILL)
            await holder.status()
        }

        /// What another process reads.
        func stored(_ name: String) throws -> String? { try medium.fresh().text(name) }

        /// Saves a value as soon as the lock is free, which the background may have for a moment.
        func save(_ setting: Setting<Int>, to value: Int) async throws {
            try await whenFree {
                try service.save(setting, to: value)
                return true
            }
        }

        /// Repeats a write until it succeeds.
        func whenFree(_ write: () throws -> Bool) async throws {
            let isWritten = try await eventually {
                do {
                    return try write()
                } catch SettingsError.Code.busy {
                    return false
                }
            }
            #expect(isWritten)
        }
    }

    private func duration(_ body: () throws -> Void) rethrows -> Duration { try ContinuousClock().measure(body) }

    @Test(
        "While another process keeps the lock, each change is reported as busy, and nothing of it is stored then or later",
        arguments: StoreKind.allCases)
    func refused(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .milliseconds(500))
            let service = stall.service
            let log = Recorder<Int>()
            let subscription = service.observe(Self.a) { log.append($0.newValue) }
            let form = (1...8).map { Setting<Int>("setting \($0)", in: .defaults, default: 0) }
            for setting in form { service.set(setting, to: 7) }
            service.reset(Self.a)
            #expect(stall.codes == Array(repeating: .busy, count: 9))
            #expect(stall.problems.all.map { $0.key?.name } == form.map(\.key.name) + ["a"])
            for change: () throws -> Void in [
                { try service.save(Self.a, to: 2) }, { try service.remove(Self.a) },
                { try service.save { $0.update(Self.a) { $0 += 1 } } },
                { try service.save { $0.set(form[0], to: 1) } }, { try stall.store.removeAll() },
            ] {
                #expect(throws: SettingsError.self) { try change() }
            }
            service.update(Self.a) { $0 += 1 }
            service.transaction { t in t.set(Self.a, to: 2) }
            service.reset(scope: .defaults)
            // The background may report that it could not write.
            #expect(stall.codes.count >= 12 && stall.codes.allSatisfy { $0 == .busy })
            #expect(service.get(Self.a) == 1 && form.allSatisfy { !service.isSet($0) })
            #expect(service.keys(in: .defaults) == ["a"] && log.all.isEmpty)
            await stall.kill()
            try await stall.save(Self.b, to: 3)
            #expect(try stall.stored("a") == "1" && stall.stored("b") == "3")
            #expect(try medium.fresh().keys().sorted() == ["a", "b"])
            service.set(Self.a, to: 4)
            #expect(try stall.stored("a") == "4" && log.all == [4])
            withExtendedLifetime(subscription) {}
        }
    }

    @Test(
        "A change waits for its patience; after busy, a set does not wait for a while, and a save does",
        arguments: StoreKind.allCases)
    func waiting(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .milliseconds(300))
            let service = stall.service
            for _ in 1...2 {
                let taken = duration {
                    let error = #expect(throws: SettingsError.self) { try service.save(Self.a, to: 2) }
                    #expect(error?.code == .busy && error?.key?.name == "a")
                    #expect(error?.description.contains(medium.path) == true)
                }
                #expect(taken >= .milliseconds(250), "\(taken)")
            }
            // A hundred times the patience is half a minute.
            #expect(duration { for number in 1...100 { service.set(Self.b, to: number) } } < .seconds(20))
            await stall.kill()
            try await stall.save(Self.a, to: 4)
        }
    }

    @Test(
        "While a save waits for another process, a get of another thread does not wait", arguments: StoreKind.allCases)
    func besideASave(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .seconds(60))
            let service = stall.service
            let outcome = onThread { try service.save(Self.b, to: 5) }
            // For a second, in which the other thread begins to wait.
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(1) {
                #expect(service.get(Self.a) == 1)
                usleep(1_000)
            }
            #expect(outcome.all.isEmpty)
            stall.release()
            #expect(try await eventually { outcome.all == [true] })
            #expect(try stall.stored("b") == "5")
        }
    }

    @Test(
        "A store opens while another process has the lock, reads what is stored, and is written when that is killed",
        arguments: StoreKind.allCases)
    func opening(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .seconds(60))
            let store = try medium.fresh()
            #expect(try store.text("a") == "1" && stall.service.get(Self.a) == 1)
            await stall.kill()
            let write = SettingsStoreBatch.Entry(key: key("a"), data: Data("2".utf8))
            try await stall.whenFree { try store.apply(SettingsStoreBatch(writes: [write])) }
            #expect(try stall.stored("a") == "2")
            #expect(stall.codes == [])
        }
    }
}
