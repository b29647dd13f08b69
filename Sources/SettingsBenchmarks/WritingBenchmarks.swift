import Foundation
import SettingsKit

extension Benchmark {
    /// Row 8: `set` with ten thousand listeners on other settings.
    static func listeners() -> [Benchmark] {
        // In memory, so that a file's background writing is not measured.
        let quiet = Writer(SettingsService(defaults: MemoryStore()))
        let listened = Writer(SettingsService(defaults: MemoryStore()))
        let subscriptions = (0..<10_000).map { number in
            listened.settings.observe(Setting<Int>("other-\(number)", in: .defaults, default: 0)) { use($0) }
        }
        return [
            Benchmark(
                8, "set with 10,000 listeners on other settings", atMost: 1.1,
                Yardstick("set with none", quiet.set), iterations: 200_000
            ) { count in
                withExtendedLifetime(subscriptions) { listened.set(count) }
            }
        ]
    }

    /// Row 18: threads that set different settings of one property list.
    static func settingThreads() throws -> [Benchmark] {
        let settings = SettingsService(defaults: try TemporaryFolder().propertyList(keyCount: 10))
        @Sendable func threads(_ threads: Int, _ count: Int) -> Double {
            onThreadsWithSettings(threads, count) { setting, count in
                for value in 0..<count { settings.set(setting, to: value) }
            } / Double(threads)
        }
        return [(2, 1), (8, 0.9)].map { number, share in
            Benchmark(
                18, "\(number) threads setting different settings", atLeast: share,
                Yardstick("one thread") { threads(1, $0) }, iterations: 50_000
            ) { threads(number, $0) }
        }
    }

    /// Row 21: the first `set` of a setting, compared with the next one.
    ///
    /// Both use the same property list, and each call has another setting.
    static func newKeys() throws -> [Benchmark] {
        let settings = SettingsService(defaults: try TemporaryFolder().propertyList(keyCount: 10))
        var (number, newCount) = (0, 0)
        func set(_ some: [Setting<Int>]) -> Double {
            var rest = some.makeIterator()
            return repeating(some.count) {
                guard let setting = rest.next() else { return }
                number += 1
                settings.set(setting, to: number)
            }
        }
        func new(_ count: Int) -> Double {
            newCount += count
            return set((newCount - count..<newCount).map { Setting<Int>("new \($0)", in: .defaults, default: 0) })
        }
        let present = (0..<2_000).map { Setting<Int>("present \($0)", in: .defaults, default: 0) }
        _ = set(present)
        return [
            Benchmark(
                21, "set of a new key", atMost: 1.1,
                Yardstick("set of a present one") { set(Array(present.prefix($0))) }, iterations: present.count, new)
        ]
    }

    /// Rows 4, 5 and 12: the property list and its journal.
    static func files() throws -> [Benchmark] {
        let store = try TemporaryFolder().propertyList(keyCount: 10)
        let few = Writer(SettingsService(defaults: store))
        let counters = try SettingsStorage<Counters>(name: "counters", in: store)
        let declared = try SettingsStorage<DeclaredCounters>(name: "declared", in: store)
        let many = try Writer(keyCount: 100_000)
        let bare = BareAppend(try TemporaryFolder().file)
        let append = Yardstick("flock, append of 64 bytes, unlock") { count in repeating(count) { bare() } }
        func set(_ name: String) -> Yardstick { Yardstick(name, few.set) }
        return [
            Benchmark(4, "set in a property list", atMost: 1.8, append, few.set),
            Benchmark(4, "update in a property list", atMost: 2.4, append, few.update),
            Benchmark(4, "transaction of two in a property list", atMost: 2.8, append, few.setTwo),
            Benchmark(
                4, "set through five layers", atMost: 1.1, set("set in a property list"),
                try Writer(keyCount: 10, hasLayers: true).set),
            Benchmark(5, "set with 100,000 keys stored", atMost: 1.2, set("set with 10"), many.set),
            Benchmark(12, "a field of a record written", atMost: 2, set("set of it as a setting"), iterations: 20_000) {
                count in
                repeating(count) { counters.set(\.count, to: few.next()) }
            },
            Benchmark(
                12, "a field with an attribute written", atMost: 1.2,
                Yardstick("one without", { count in repeating(count) { counters.set(\.count, to: few.next()) } }),
                iterations: 20_000
            ) { count in
                repeating(count) { declared.set(\.count, to: few.next()) }
            },
        ]
    }

    /// Row 6: opening a property list.
    static func opening() throws -> [Benchmark] {
        try [(10_000, "10,000", 10), (100_000, "100,000", 1)].map { keyCount, keys, iterations in
            let opened = try TemporaryFolder()
            _ = try opened.propertyList(keyCount: keyCount)
            let parsing = Yardstick("Foundation parsing the file") { count in
                repeating(count) {
                    let data = try Data(contentsOf: opened.file)
                    use(try PropertyListSerialization.propertyList(from: data, format: nil))
                }
            }
            let setting = Setting<String>("setting number 4711", in: .defaults, default: "")
            return Benchmark(
                6, "open of \(keys) keys, to the first get", atMost: 0.3, parsing, iterations: iterations
            ) { count in
                repeating(count) {
                    let settings = SettingsService(defaults: try PropertyListStore(url: opened.file))
                    precondition(settings.get(setting) == "value 4711")
                }
            }
        }
    }
}
