import Foundation
import SettingsKitCore
import Testing

@Suite("Keys and namespaces with many writers (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct HooksConcurrencyTests {
    private enum Busy: SettingsNamespace {
        static let id = "busy"
        static let before = Atomic(0)
        static let after = Atomic(0)
        static func preCommitHook() { before.add(1, ordering: .relaxed) }
        static func postCommitHook() { after.add(1, ordering: .relaxed) }
    }

    private struct Pair: Hashable, Sendable {
        var old: Int
        var new: Int
    }

    private struct CountedKey: SettingKey {
        let key = SettingsService.StorageKey("n", scope: .defaults)
        let defaultValue = 0
        let will = Recorder<Pair>()
        let did = Recorder<Pair>()

        func willChange(_ oldValue: Int, newValue: Int) { will.append(Pair(old: oldValue, new: newValue)) }
        func didChange(_ oldValue: Int, newValue: Int) { did.append(Pair(old: oldValue, new: newValue)) }
    }

    @Test("The old value of each change is the new one of the change before", arguments: StoreKind.allCases)
    func chain(kind: StoreKind) {
        let store = kind.make()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        let key = CountedKey()
        let settings = [Setting(key), Setting(key)]
        let rounds = 80
        inParallel(6) { thread in
            let (service, setting) = (services[thread % 2], settings[thread / 3])
            for round in 0..<rounds {
                // No value comes twice, so that there is one order in which all changes can have been made.
                let value = 1 + thread * rounds + round
                switch thread {
                case 0: store.set(key, to: value)
                case 1: service.transaction { $0.set(setting, to: value) }
                case 2: service.update(setting) { $0 = value }
                default: service.set(setting, to: value)
                }
            }
        }
        let did = key.did.all
        #expect(did.count == 6 * rounds)
        let next = Dictionary(did.map { ($0.old, $0.new) }) { first, second in
            Issue.record("Both \(first) and \(second) took the place of one value.")
            return first
        }
        var value = 0
        var count = 0
        while let newer = next[value], count <= did.count { (value, count) = (newer, count + 1) }
        #expect(count == did.count)
        #expect(services[0].get(settings[0]) == value)
        // Each change was announced; what was announced in vain was not made.
        #expect(Set(did).isSubset(of: key.will.all))
    }

    @Test("A namespace's hooks run before and after every change")
    func namespaces() {
        // One after the other, because they share what they count with.
        for kind in StoreKind.allCases {
            let settings = SettingsService.over(kind.make())
            let (before, after) = (Busy.before.load(ordering: .relaxed), Busy.after.load(ordering: .relaxed))
            let common = Setting<Int>("n", in: .defaults, namespace: Busy.self, default: 0)
            inParallel(6) { thread in
                let own = Setting<Int>("n\(thread)", in: .defaults, namespace: Busy.self, default: 0)
                for round in 1...60 {
                    settings.set(own, to: round)
                    settings.update(common) { $0 += 1 }
                }
            }
            #expect(settings.get(common) == 360)
            #expect(Busy.after.load(ordering: .relaxed) - after == 720)
            #expect(Busy.before.load(ordering: .relaxed) - before >= 720)
        }
    }

    @Test("Keys whose functions use the settings do not wait for each other", arguments: StoreKind.allCases)
    func reentrancy(kind: StoreKind) {
        struct Key: SettingKey {
            let key = SettingsService.StorageKey("n", scope: .defaults)
            let defaultValue = 0
            let use: @Sendable () -> Void
            func willChange(_ oldValue: Int, newValue: Int) { use() }
            func didChange(_ oldValue: Int, newValue: Int) { use() }
        }
        let settings = SettingsService.over(kind.make())
        let count = Setting<Int>("count", in: .defaults, default: 0)
        let setting = Setting(
            Key {
                settings.update(count) { $0 += 1 }
                _ = settings.observe(count) { _ in }
            })
        inParallel(4) { thread in
            for round in 0..<50 { settings.set(setting, to: thread * 50 + round + 1) }
        }
        #expect(settings.get(count) >= 400)
    }
}
