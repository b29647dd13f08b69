import Foundation
import SettingsKitCore
import Testing

/// An index is used again after its setting has gone, by settings of other types.
@Suite("Settings that come and go (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct DynamicSettingsConcurrencyTests {
    private struct Point: Codable, Sendable, Equatable { var x = 1.5, y = 2.5, z = 3.5, w = 4.5 }

    /// Makes, uses and drops a setting of one of four types.
    private static func use(_ number: Int, in services: [SettingsService], prefix: String = "k") {
        for service in services {
            switch number % 4 {
            case 0: check(Setting<Int>("\(prefix)int", in: .defaults, default: -1), number, in: service)
            case 1: check(Setting<String>("\(prefix)string", in: .defaults, default: "?"), "s\(number)", in: service)
            case 2: check(Setting<Point?>("\(prefix)point", in: .defaults), Point(x: Double(number)), in: service)
            default: check(Setting<[String]>("\(prefix)list", in: .defaults, default: []), ["\(number)"], in: service)
            }
        }
    }

    private static func check<T: Equatable>(_ setting: Setting<T>, _ value: T, in service: SettingsService) {
        _ = service.get(setting)
        service.set(setting, to: value)
        #expect(service.get(setting) == value)
        service.reset(setting)
        #expect(service.get(setting) == setting.defaultValue)
    }

    @Test("10,000 settings made and dropped leave nothing in memory", arguments: [StoreKind.memory, .twoFunctions])
    func comeAndGo(kind: StoreKind) {
        let store = kind.make()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        for number in 0..<10_000 { Self.use(number, in: services) }
    }

    @Test("Thousands of settings live side by side")
    func manyAtOnce() {
        let service = SettingsService.over(MemoryStore())
        let settings = (0..<5_000).map { Setting<Int>("n\($0)", in: .defaults, default: -$0) }
        for (number, setting) in settings.enumerated() {
            #expect(service.get(setting) == -number)
            service.set(setting, to: number)
        }
        for (number, setting) in settings.enumerated() { #expect(service.get(setting) == number) }
    }

    @Test("A dropped setting with a live subscription publishes changes until the subscription ends")
    func subscriptionHoldsSetting() {
        let service = SettingsService.over(MemoryStore())
        let told = Recorder<Int>()
        func subscribe() -> SettingsService.Subscription {
            service.observe(Setting<Int>("n", in: .defaults, default: 0)) { told.append($0.newValue) }
        }
        let subscription = subscribe()
        for number in 0..<100 { Self.use(number, in: [service]) }
        service.set(Setting<Int>("n", in: .defaults, default: 0), to: 5)
        subscription.cancel()
        service.set(Setting<Int>("n", in: .defaults, default: 0), to: 6)
        #expect(told.all == [5])
    }

    @Test("Services come and go while settings do", arguments: [StoreKind.memory, .twoFunctions])
    func servicesAndSettings(kind: StoreKind) {
        let store = kind.make()
        inParallel(8) { thread in
            for round in 0..<120 {
                let service = SettingsService.over(store)
                for number in 0..<4 { Self.use(round + number, in: [service], prefix: "t\(thread)-") }
            }
        }
    }

    @Test("Settings of several services are dropped on other threads than the services")
    func crossedLifetimes() {
        let store = MemoryStore()
        for _ in 0..<200 {
            let services = Box((0..<4).map { _ in SettingsService.over(store) })
            let settings = Box((0..<8).map { Setting<Int>("n\($0)", in: .defaults, default: 0) })
            for service in services.value { for setting in settings.value { service.set(setting, to: 1) } }
            inParallel(2) { thread in
                if thread == 0 { services.value = [] } else { settings.value = [] }
            }
        }
    }
}
