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

        /// - Parameter writes: Names and numbers that the other process writes before it releases the lock.
        init(_ medium: any StoreMedium, patience: Duration, writes: String...) async throws {
            self.medium = medium
            store = try medium.open(patience: patience)
            (service, problems) = SettingsService.over(store)
            try service.save(StallTests.a, to: 1)
            try service.synchronize()
            holder = try Worker(["hold", medium.path] + writes)
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

        /// Repeats a write until it succeeds: for a second after a wait has failed, the next ones fail at once.
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

        /// Whether a value comes to be stored, for others, too, with whom it is shared.
        func arrives(_ name: String, _ value: String?) async throws -> Bool {
            try await eventually { try stored(name) == value && medium.elsewhere().text(name) == value }
        }
    }

    private func duration(_ body: () throws -> Void) rethrows -> Duration { try ContinuousClock().measure(body) }

    @Test(
        "A set while another process has the lock returns soon; its value is in force, and stored when the lock is free",
        arguments: StoreKind.allCases)
    func kept(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .seconds(60))
            let service = stall.service
            let log = Recorder<Int>()
            let subscription = service.observe(Self.a) { log.append($0.newValue) }
            // Half a second, whatever the patience; and no set waits again.
            #expect(duration { service.set(Self.a, to: 2) } < .seconds(20))
            #expect(try service.get(Self.a) == 2 && stall.stored("a") == "1" && medium.elsewhere().text("a") == "1")
            #expect(stall.codes == [.pending] && stall.problems.all[0].key?.name == "a")
            #expect(duration { for number in 3...200 { service.set(Self.a, to: number) } } < .seconds(60))
            let batch = SettingsStoreBatch(
                writes: [.init(key: key("b"), data: Data("7".utf8))], options: .ofSet)
            #expect(try stall.store.apply(batch))
            #expect(service.get(Self.b) == 7 && Set(service.keys(in: .defaults)) == ["a", "b"])
            service.reset(Self.b)
            #expect(!service.isSet(Self.b) && service.keys(in: .defaults) == ["a"])
            #expect(stall.codes == [.pending, .pending])
            stall.release()
            #expect(try await stall.arrives("a", "200"))
            #expect(try await eventually { stall.codes == [.pending, .pending, .recovered] })
            #expect(try service.get(Self.a) == 200 && stall.stored("b") == nil)
            #expect(log.all == Array(2...200))
            try service.synchronize()
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("A process that is killed with the lock delays the pending values no longer", arguments: StoreKind.allCases)
    func killedHolder(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .milliseconds(100))
            stall.service.set(Self.b, to: 7)
            stall.service.reset(Self.a)
            #expect(stall.service.get(Self.b) == 7 && !stall.service.isSet(Self.a))
            #expect(stall.service.keys(in: .defaults) == ["b"])
            await stall.kill()
            #expect(try await stall.arrives("b", "7"))
            #expect(try stall.stored("a") == nil)
        }
    }

    @Test(
        "While another process has the lock, save, update and synchronize throw in time, and change nothing",
        arguments: StoreKind.allCases)
    func throwing(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .milliseconds(300))
            let service = stall.service
            let taken = duration {
                let error = #expect(throws: SettingsError.self) { try service.save(Self.a, to: 2) }
                #expect(error?.code == .busy && error?.key?.name == "a")
                #expect(error?.description.contains(medium.path) == true)
            }
            #expect(taken >= .milliseconds(250) && taken < .seconds(20), "\(taken)")
            service.set(Self.b, to: 2)
            #expect(thrownCode { try service.save(Self.a, to: 3) } == .busy)
            #expect(thrownCode { try service.save { $0.update(Self.a) { $0 += 1 } } } == .busy)
            #expect(throws: SettingsError.self) { try service.synchronize() }
            #expect(try service.get(Self.a) == 1 && service.get(Self.b) == 2 && stall.stored("a") == "1")
            await stall.kill()
            // Pending values are written first.
            try await stall.save(Self.a, to: 4)
            #expect(try stall.stored("b") == "2" && stall.stored("a") == "4")
        }
    }

    @Test(
        "While a save waits for another process, a set of another thread does not wait with it, and neither does a get",
        arguments: StoreKind.allCases)
    func besideASave(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .seconds(60))
            let service = stall.service
            let outcome = onThread { try service.save(Self.b, to: 5) }
            // For a second, in which the other thread begins to wait.
            let start = ContinuousClock.now
            var value = 1
            while ContinuousClock.now - start < .seconds(1) {
                value += 1
                service.set(Self.a, to: value)
                #expect(service.get(Self.a) == value)
            }
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(outcome.all.isEmpty)
            stall.release()
            #expect(try await eventually { outcome.all == [true] })
            #expect(try await stall.arrives("a", "\(value)"))
            #expect(try stall.stored("b") == "5")
        }
    }

    @Test(
        "Pending values follow what the other process writes, and hide its values for the same settings",
        arguments: StoreKind.allCases)
    func order(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .milliseconds(100), writes: "a", "8", "b", "9")
            let service = stall.service
            let (log, others) = (Recorder<Int>(), Recorder<Int>())
            let subscriptions = [
                service.observe(Self.a) { log.append($0.newValue) },
                service.observe(Self.b) { others.append($0.newValue) },
            ]
            service.set(Self.a, to: 2)
            stall.release()
            #expect(try await eventually { others.all == [9] })
            #expect(try await stall.arrives("a", "2"))
            #expect(service.get(Self.a) == 2 && service.get(Self.b) == 9)
            try await stall.save(Self.a, to: 3)
            #expect(log.all == [2, 3] && others.all == [9])
            #expect(try stall.stored("a") == "3")
            withExtendedLifetime(subscriptions) {}
        }
    }

    @Test(
        "A process that exits in order writes what is pending; one that is killed loses it, and nothing else",
        arguments: StoreKind.allCases, [true, false])
    func end(kind: StoreKind, isKilled: Bool) async throws {
        try await kind.withMedium { medium in
            let stall = try await Stall(medium, patience: .milliseconds(100))
            let worker = try Worker("keep", medium.path, "a", "2")
            await worker.wait(for: "problem pending")
            await worker.wait(for: "2")
            try await worker.hasStopped()
            if isKilled {
                worker.send(SIGKILL)
                await worker.status()
                await stall.kill()
            } else {
                await stall.kill()
                worker.send(SIGCONT)
                #expect(await worker.status() == 0)
            }
            let expected = isKilled ? "1" : "2"
            #expect(try stall.stored("a") == expected && medium.elsewhere().text("a") == expected)
            try await stall.save(Self.b, to: 3)
            #expect("\(stall.service.get(Self.a))" == expected)
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
