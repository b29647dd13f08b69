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
    private let optional = Setting<Limit?>(
        "limit", in: .defaults, validation: .init("must be positive") { $0.map { $0.perMinute >= 0 } ?? true })

    /// A service over a store that holds the value.
    private func service(_ fault: Fault) -> (MemoryStore, SettingsService, Recorder<SettingsError>) {
        let (store, problems) = (
            MemoryStore(["limit": fault.bytes, "other": Data("1".utf8)]), Recorder<SettingsError>()
        )
        return (store, SettingsService.over(store, problems), problems)
    }

    @Test(
        "What calculates returns nil and reports the cure, or throws it, and changes nothing", arguments: Fault.allCases
    )
    func calculations(fault: Fault) throws {
        let attempts: [(SettingsService) throws -> Void?] = [
            { $0.update(limit) { $0.burst = 20 } }, { $0.update(optional) { $0?.burst = 20 } },
            {
                $0.transaction { t in
                    t.set(other, to: t.get(limit).perMinute)
                    t.reset(limit)
                }
            },
            { try $0.save { $0.update(limit) { $0.burst = 20 } } }, { try $0.save { t in t[limit] = t[limit] } },
            { try $0.save { t in t[optional] = t[optional] } },
        ]
        for attempt in attempts {
            let (store, settings, problems) = service(fault)
            #expect(settings.get(limit) == Limit() && settings.get(optional) == nil)
            let told: [SettingsError]
            do {
                let result: Void? = try attempt(settings)
                #expect(result == nil)
                told = problems.all
            } catch {
                told = [error as? SettingsError].compactMap(\.self)
            }
            #expect(told.contains { $0.code == fault.code && $0.description.contains("or reset it") })
            #expect(store.get(limit.key) == fault.bytes && settings.get(other) == 1)
        }
    }

    @Test("What only reads, only removes, or sets the value before is not refused", arguments: Fault.allCases)
    func otherTransactions(fault: Fault) {
        let (store, settings, problems) = service(fault)
        #expect(settings.transaction { $0.get(limit) } == Limit())
        #expect(problems.codes == [fault.code])
        let burst = settings.transaction { t in
            t.set(limit, to: Limit(perMinute: 1))
            t.update(limit) { $0.burst = 20 }
            return t.get(limit).burst
        }
        #expect(burst == 20 && settings.get(limit) == Limit(perMinute: 1, burst: 20))
        store.set(limit.key, to: fault.bytes)
        let another = SettingsService.over(store)
        another.transaction { t in if t.get(limit) == Limit() { t.reset(limit) } }
        #expect(store.get(limit.key) == nil)
    }

    @Test("Setting and resetting replace such a value", arguments: Fault.allCases)
    func replaced(fault: Fault) {
        for isReset in [true, false] {
            let (store, settings, _) = service(fault)
            if isReset { settings.reset(limit) } else { settings.set(optional, to: nil) }
            #expect(store.get(limit.key) == nil)
            settings.update(limit) { $0.burst = 20 }
            #expect(settings.get(limit) == Limit(burst: 20))
        }
    }
}
