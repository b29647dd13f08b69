import Foundation
import SettingsKitCore
import Testing

@Suite("Nothing is calculated from a default in the place of a stored value")
struct UnusableValueTests {
    private struct Limit: Codable, Sendable, Equatable {
        var perMinute = 60
        var burst = 10
    }

    /// Why `get` answers the default although something is stored.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case undecodable, refused

        var testDescription: String { rawValue }
        fileprivate var bytes: Data {
            Data((self == .undecodable ? #"{"perMinute":"7"}"# : #"{"burst":1,"perMinute":-1}"#).utf8)
        }
        var code: SettingsError.Code { self == .undecodable ? .decodingFailed : .invalidValue }
    }

    private let other = Setting<Int>("other", in: .defaults, default: 0)
    private let limit = Setting<Limit>(
        "limit", in: .defaults, default: Limit(), validation: .init("must be positive") { $0.perMinute >= 0 })

    private func service(_ store: any SettingsStore) -> (SettingsService, Recorder<SettingsError>) {
        let problems = Recorder<SettingsError>()
        return (SettingsService.over(store, problems), problems)
    }

    @Test(
        "An update returns nil, reports the cure, and leaves what is stored; set replaces it", arguments: Fault.allCases
    )
    func update(fault: Fault) throws {
        let store = MemoryStore(["limit": fault.bytes])
        let (settings, problems) = service(store)
        #expect(settings.get(limit) == Limit())
        let result = settings.update(limit) { value -> Int in
            value.burst = 20
            return value.burst
        }
        #expect(result == nil)
        #expect(store.get(limit.key) == fault.bytes)
        #expect(problems.all.contains { $0.code == fault.code && $0.description.contains("or reset it") })
        let error = #expect(throws: SettingsError.self) { try settings.save { $0.update(limit) { $0.burst = 20 } } }
        #expect(error?.code == fault.code && error?.description.contains("or reset it") == true)
        #expect(store.get(limit.key) == fault.bytes)
        settings.set(limit, to: Limit(perMinute: 1))
        settings.update(limit) { $0.burst = 20 }
        #expect(settings.get(limit) == Limit(perMinute: 1, burst: 20))
    }

    @Test("A transaction that reads such a value stores no value, also of another setting", arguments: Fault.allCases)
    func transaction(fault: Fault) throws {
        let store = MemoryStore(["limit": fault.bytes, "other": Data("1".utf8)])
        let (settings, problems) = service(store)
        let moved: Void? = settings.transaction { t in
            t.set(other, to: t.get(limit).perMinute)
            t.reset(limit)
        }
        #expect(moved == nil)
        #expect(settings.get(other) == 1)
        #expect(store.get(limit.key) == fault.bytes)
        #expect(problems.all.contains { $0.code == fault.code && $0.description.contains("or reset it") })
        #expect(throws: SettingsError.self) { try settings.save { t in t[limit] = t[limit] } }
        #expect(store.get(limit.key) == fault.bytes)
    }

    @Test("A transaction that only reads returns the default; one that only removes removes", arguments: Fault.allCases)
    func readingAndRemoving(fault: Fault) {
        let store = MemoryStore(["limit": fault.bytes])
        let (settings, problems) = service(store)
        #expect(settings.transaction { $0.get(limit) } == Limit())
        #expect(problems.all.map(\.code) == [fault.code])
        settings.transaction { t in if t.get(limit) == Limit() { t.reset(limit) } }
        #expect(store.get(limit.key) == nil)
    }

    @Test("A transaction that sets the value before it reads it is not refused", arguments: Fault.allCases)
    func setFirst(fault: Fault) {
        let (settings, _) = service(MemoryStore(["limit": fault.bytes]))
        let burst = settings.transaction { t in
            t.set(limit, to: Limit(perMinute: 1))
            t.update(limit) { $0.burst = 20 }
            return t.get(limit).burst
        }
        #expect(burst == 20)
        #expect(settings.get(limit) == Limit(perMinute: 1, burst: 20))
    }

    @Test("A closure that makes it nil, which is stored as nothing, does not remove it", arguments: Fault.allCases)
    func nilIsCalculated(fault: Fault) {
        let optional = Setting<Limit?>(
            "limit", in: .defaults, validation: .init("must be positive") { $0.map { $0.perMinute >= 0 } ?? true })
        let store = MemoryStore(["limit": fault.bytes])
        let (settings, problems) = service(store)
        #expect(settings.get(optional) == nil)
        #expect(settings.update(optional) { $0?.burst = 20 } == nil)
        #expect(throws: SettingsError.self) { try settings.save { t in t[optional] = t[optional] } }
        #expect(store.get(limit.key) == fault.bytes)
        #expect(problems.all.contains { $0.code == fault.code && $0.description.contains("or reset it") })
        settings.set(optional, to: nil)
        #expect(store.get(limit.key) == nil)
    }

    @Test("A migration that reads such a value fails, and changes nothing", arguments: Fault.allCases)
    func migration(fault: Fault) throws {
        let store = MemoryStore(["limit": fault.bytes])
        let (settings, _) = service(store)
        #expect(throws: SettingsError.self) {
            try settings.migrate([.version("1") { t in t.set(other, to: t.get(limit).burst) }])
        }
        #expect(store.get(limit.key) == fault.bytes && settings.isSet(other) == false)
    }

    @Test("What a store cannot store gives nil, too")
    func failure() {
        let (settings, problems) = service(FeedStore(willWrite: { _ in throw StoreBroken() }))
        let result = settings.update(other) { value -> Int in
            value += 1
            return value
        }
        #expect(result == nil)
        #expect(!problems.all.isEmpty)
        #expect(settings.get(other) == 0)
    }

    @Test("Closures of one call need no word for the result that they ignore")
    func ignoredResult() {
        let (settings, _) = service(MemoryStore())
        let actions: [() -> Void] = [
            { settings.update(other) { $0 += 1 } }, { settings.transaction { $0[other] += 1 } },
        ]
        for action in actions { action() }
        #expect(settings.get(other) == 2)
    }

    @Test("A value that became bad from outside counts as the last good one: an update calculates from it")
    func lastGood() {
        let store = FeedStore(["limit": Data(#"{"perMinute":7,"burst":1}"#.utf8)])
        let (settings, _) = service(store)
        #expect(settings.get(limit) == Limit(perMinute: 7, burst: 1))
        store.changeFromOutside([("limit", "[]")])
        settings.update(limit) { $0.burst = 20 }
        #expect(settings.get(limit) == Limit(perMinute: 7, burst: 20))
    }
}
