import Foundation
import SettingsKitCore
import Testing

@Suite("One verb for an act, on every surface")
struct OneVerbTests {
    /// The ways to one integer: a service, a bare store, a property, and a field of a record.
    enum Surface: CaseIterable {
        case service, bareStore, property, field
    }

    /// What a surface does to the integer "n:count", whose default is 7.
    private struct Ways {
        let get: () -> Int
        let load: () throws -> Int
        let set: (Int) -> Void
        let save: (Int) throws -> Void
        /// Adds one and returns the sum; nil where the surface has no `update`.
        var update: (() -> Int?)?
        let reset: () -> Void
        let remove: () throws -> Void

        init(_ surface: Surface, over store: any SettingsStore, _ problems: Recorder<SettingsError>) throws {
            let setting = Setting<Int>("n:count", in: .defaults, default: 7)
            let settings = SettingsService.over(store, problems)
            switch surface {
            case .service:
                get = { settings.get(setting) }
                load = { try settings.load(setting) }
                set = { settings.set(setting, to: $0) }
                save = { try settings.save(setting, to: $0) }
                update = {
                    settings.update(setting) { value in
                        value += 1
                        return value
                    }
                }
                reset = { settings.reset(setting) }
                remove = { try settings.remove(setting) }
            case .bareStore:
                get = { store.get(setting) }
                load = { try store.load(setting) }
                set = { store.set(setting, to: $0) }
                save = { try store.save(setting, to: $0) }
                reset = { store.reset(setting) }
                remove = { try store.remove(setting) }
            case .property:
                let property = Persister(setting, in: settings)
                get = { property.value }
                load = { try property.load() }
                set = { property.set($0) }
                save = { try property.save($0) }
                update = {
                    property.update { value in
                        value += 1
                        return value
                    }
                }
                reset = { property.reset() }
                remove = { try property.remove() }
            case .field:
                let record = try SettingsStorage<Counted>(name: "n", in: settings)
                get = { record.get().count }
                load = { try record.load().count }
                set = { record.set(\.count, to: $0) }
                save = { try record.save(Counted(count: $0)) }
                update = {
                    record.update(\.count) { value in
                        value += 1
                        return value
                    }
                }
                reset = { record.reset() }
                remove = { try record.remove() }
            }
        }
    }

    private struct Counted: SettingsRecord, Equatable {
        var count = 7
        static let empty = Counted()
    }

    @Test("get, load, set, save, update, reset and remove do the same", arguments: Surface.allCases, StoreKind.allCases)
    func acts(surface: Surface, kind: StoreKind) throws {
        let store = kind.make()
        let problems = Recorder<SettingsError>()
        let ways = try Ways(surface, over: store, problems)
        #expect(try ways.get() == 7 && ways.load() == 7)
        ways.set(1)
        #expect(try ways.get() == 1 && ways.load() == 1 && store.text("n:count") == "1")
        try ways.save(2)
        #expect(try ways.get() == 2 && ways.load() == 2 && store.text("n:count") == "2")
        if let update = ways.update { #expect(update() == 3 && ways.get() == 3) }
        ways.reset()
        #expect(try ways.get() == 7 && store.text("n:count") == nil)
        ways.set(4)
        try ways.remove()
        #expect(try ways.get() == 7 && store.text("n:count") == nil)
        #expect(problems.all.isEmpty)
    }

    @Test(
        "Where the store cannot write, set, update and reset report that, and save and remove throw it",
        arguments: [Surface.service, .property, .field], [true, false])
    func failures(surface: Surface, hasFeed: Bool) throws {
        let isBroken = Box(true)
        let fail: @Sendable () throws -> Void = { if isBroken.value { throw StoreBroken() } }
        let contents = ["n:count": Data("3".utf8)]
        let store: any SettingsStore =
            hasFeed
            ? FeedStore(contents, willWrite: { _ in try fail() })
            : TwoFunctionStore(contents, willSet: { _, _ in try fail() })
        let problems = Recorder<SettingsError>()
        let ways = try Ways(surface, over: store, problems)
        #expect(ways.get() == 3)
        ways.set(4)
        #expect(ways.update?() == nil)
        ways.reset()
        #expect(problems.all.map(\.code) == [.writeFailed, .writeFailed, .writeFailed])
        #expect(thrownCode { try ways.save(4) } == .writeFailed)
        #expect(thrownCode { try ways.remove() } == .writeFailed)
        #expect(problems.count == 3)
        #expect(try ways.get() == 3 && store.text("n:count") == "3")
        isBroken.value = false
        try ways.save(4)
        #expect(ways.get() == 4)
    }

    @Test("An update throws the error of its closure, and nothing else", arguments: [false, true])
    func thrownByUpdate(isBroken: Bool) throws {
        struct Refusal: Error {}
        let store = FeedStore(
            ["n:count": Data("3".utf8)], willWrite: { _ in if isBroken { throw StoreBroken() } })
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        let setting = Setting<Int>("n:count", in: .defaults, default: 7)
        let record = try SettingsStorage<Counted>(name: "n", in: settings)
        func refuse(_ value: inout Int) throws(Refusal) {
            value = 100
            throw Refusal()
        }
        #expect(throws: Refusal.self) { try settings.update(setting, refuse) }
        #expect(throws: Refusal.self) { try Persister(setting, in: settings).update(refuse) }
        #expect(throws: Refusal.self) { try record.update { (counted: inout Counted) in try refuse(&counted.count) } }
        #expect(throws: Refusal.self) { try record.update(\Counted.count, refuse) }
        #expect(problems.all.isEmpty)
        #expect(thrownCode { try settings.save { $0.update(setting) { $0 += 1 } } } == (isBroken ? .writeFailed : nil))
    }
}
