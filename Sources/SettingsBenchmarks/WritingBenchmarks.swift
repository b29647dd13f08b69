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
                8, "set with 10,000 listeners on other settings", .atMost(1.1), Yardstick("set with none", quiet.set),
                iterations: 200_000
            ) { count in
                withExtendedLifetime(subscriptions) { listened.set(count) }
            }
        ]
    }

    /// Row 18: threads that set different settings of one property list.
    static func settingThreads() throws -> [Benchmark] {
        let settings = SettingsService(defaults: try TemporaryFolder().propertyList(keyCount: 10))
        @Sendable func threads(_ threads: Int, _ count: Int) -> Double {
            onThreads(threads, count) { thread, count in
                let setting = Setting<Int>("number \(thread)", in: .defaults, default: 0)
                for value in 0..<count { settings.set(setting, to: value) }
            } / Double(threads)
        }
        return [2, 8].map { number in
            Benchmark(
                18, "\(number) threads setting different settings", .atLeast(0.9),
                Yardstick("one thread") { threads(1, $0) }
            ) { threads(number, $0) }
        }
    }

    /// Rows 4, 5 and 12: a property list.
    static func writing() throws -> [Benchmark] {
        let few = try Writer(keyCount: 10)
        let observed = try Writer(keyCount: 10)
        let subscription = observed.settings.observe(.launchCount) { use($0) }
        let equal = try Writer(keyCount: 10)
        let many = try Writer(keyCount: 100_000)
        let three = try SettingsStorage<Counters>(name: "three", in: few.settings)
        let fifty = try SettingsStorage<FiftyCounters>(name: "fifty", in: few.settings)
        let bare = BareAppend(try TemporaryFolder().file)
        let append = Yardstick("flock, append of 64 bytes, unlock") { count in repeating(count) { bare() } }
        let set = Yardstick("set of it as a setting", few.set)
        return [
            Benchmark(4, "set", .atMost(2.4), append, few.set),
            Benchmark(4, "set with an observer", .atMost(3.3), append) { count in
                withExtendedLifetime(subscription) { observed.set(count) }
            },
            Benchmark(4, "update", .atMost(3.3), append, few.update),
            Benchmark(4, "transaction of two", .atMost(4), append, few.setTwo),
            Benchmark(4, "set of an equal value", .atMost(1.6), append) { count in
                repeating(count) { equal.settings.set(.launchCount, to: 1) }
            },
            Benchmark(
                5, "set with 100,000 keys stored", .atMost(1.2), Yardstick("set with 10", few.set), many.set),
            Benchmark(12, "a field of a record of three written", .atMost(3), set, iterations: 20_000) { count in
                repeating(count) { three.set(\.count, to: few.next()) }
            },
            Benchmark(12, "a field of a record of fifty written", .atMost(10), set, iterations: 2_000) { count in
                repeating(count) { fifty.set(\.third.count5, to: few.next()) }
            },
        ]
    }

    /// Row 6: opening a property list.
    static func opening() throws -> [Benchmark] {
        try [(10_000, "10,000", 10), (100_000, "100,000", 1)].map { keyCount, keys, iterations in
            let opened = try TemporaryFolder()
            try opened.propertyList(keyCount: keyCount).bringUpToDate()
            let parsing = Yardstick("Foundation parsing the list") { count in
                repeating(count) {
                    let data = try Data(contentsOf: opened.file)
                    use(try PropertyListSerialization.propertyList(from: data, format: nil))
                }
            }
            let setting = Setting<String>("setting number 4711", in: .defaults, default: "")
            return Benchmark(
                6, "open of \(keys) keys, to the first get", .atMost(0.2), parsing, iterations: iterations
            ) { count in
                repeating(count) {
                    let settings = SettingsService(defaults: try PropertyListStore(url: opened.file))
                    precondition(settings.get(setting) == "value 4711")
                }
            }
        }
    }
}
