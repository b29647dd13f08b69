import Foundation
import SettingsKit
import Synchronization

extension Benchmark {
    /// Rows 1 to 3: `get`, compared with a lookup in a locked dictionary; reading through a handle, compared with reading a
    /// locked variable of the same type; two threads that read one setting, compared with one.
    static func reading() throws -> [Benchmark] {
        let store = try PropertyListStore(url: TemporaryFolder().file)
        let (settings, layered) = (SettingsService(defaults: store), SettingsService(defaults: try store.amongLayers()))
        let names = (0..<100).map { "setting-\($0)" }
        let definitions = names.map { Setting<Int>($0, in: .defaults, default: 0) }
        for (value, setting) in definitions.enumerated() { settings.set(setting, to: value) }
        settings.set(.launchCount, to: 42)
        settings.set(.isMuted, to: true)
        settings.set(.theme, to: "dark")
        settings.set(.profile, to: Profile(name: "Bob", age: 41, score: 3.5))

        let dictionary = Locked(Dictionary(uniqueKeysWithValues: zip(names, 0..<100)))
        let lookUp = Yardstick("Mutex<[String: Int]> look-up, 100 keys") { count in
            inTurn(count) { index in dictionary.mutex.withLock { $0[names[index]] ?? 0 } }
        }
        func get(_ name: String, _ operation: @escaping Loop) -> Benchmark {
            Benchmark(1, "get of \(name)", .atMost(0.4), lookUp, iterations: 2_000_000, operation)
        }
        func threads(_ name: String, atLeast: Double, _ read: @escaping @Sendable (Int) -> Void) -> Benchmark {
            // Both threads together do twice as many, so a read takes half of the time.
            Benchmark(
                3, "two threads reading \(name)", .atLeast(atLeast),
                Yardstick("one thread") { onThreads(1, $0) { read($1) } }, iterations: 20_000_000
            ) { onThreads(2, $0) { read($1) } / 2 }
        }
        return try [
            // Each type has a loop of its own, as a program would write it.
            get("an Int") { summing($0) { settings.get(.launchCount) } },
            get("a String") { summing($0) { settings.get(.theme).utf8.count } },
            get("a small struct") { summing($0) { settings.get(.profile).age } },
            get("100 Ints in turn") { inTurn($0) { settings.get(definitions[$0]) } },
            get("an Int through five layers") { summing($0) { layered.get(.launchCount) } },
        ]
            + handles(settings) + [
                threads("an Int", atLeast: 1.6) { sum($0) { settings.get(.launchCount) } },
                threads("a Bool", atLeast: 1.6) { sum($0) { settings.get(.isMuted) ? 1 : 0 } },
                threads("a String", atLeast: 1.5) { sum($0) { settings.get(.theme).utf8.count } },
                threads("a small struct", atLeast: 1.5) { sum($0) { settings.get(.profile).age } },
            ]
    }

    private static func handles(_ settings: SettingsService) throws -> [Benchmark] {
        func handle(
            _ name: String, _ target: Double, _ yardstick: Yardstick, _ operation: @escaping Loop
        ) -> Benchmark {
            Benchmark(2, name, .atMost(target), yardstick, iterations: 2_000_000, operation)
        }
        let counters = try SettingsStorage<Counters>(name: "counters", in: settings)
        counters.count = 2
        let parameters = try SettingsStorage<Parameters>(name: "network", in: settings)
        parameters.set(Parameters(isDetailed: true, apiURL: URL(string: "https://example.org/api"), armedAt: Date()))
        let (number, text) = (Locked(4), Locked(settings.get(.theme)))
        let (profile, record) = (Locked(settings.get(.profile)), Locked(parameters.get()))
        let numbers = Yardstick("Mutex<Int> read") { summing($0) { number.mutex.withLock { $0 } } }
        let texts = Yardstick("Mutex<String> read") { summing($0) { text.mutex.withLock { $0 }.utf8.count } }
        let profiles = Yardstick("Mutex<Profile> read") { summing($0) { profile.mutex.withLock { $0 }.size } }
        let records = Yardstick("Mutex<Parameters> read of the URL") { count in
            summing(count) { record.mutex.withLock { $0.apiURL } == nil ? 0 : 1 }
        }
        let (liveNumber, liveText) = (settings.value(.launchCount), settings.value(.theme))
        let liveProfile = settings.value(.profile)
        let wrappedNumber = Persisted(.launchCount, in: settings)
        let wrappedText = Persisted(.theme, in: settings)
        return [
            handle("Value of an Int", 1, numbers) { summing($0) { liveNumber.value } },
            handle("Value of a String", 2.5, texts) { summing($0) { liveText.value.utf8.count } },
            handle("Value of a small struct", 2.5, profiles) { summing($0) { liveProfile.value.size } },
            handle("@Persisted Int", 1, numbers) { summing($0) { wrappedNumber.wrappedValue } },
            handle("@Persisted String", 2.5, texts) { summing($0) { wrappedText.wrappedValue.utf8.count } },
            handle("an Int of a record of numbers", 1, numbers) { summing($0) { counters.count } },
            handle("a URL of a record", 2.5, records) { summing($0) { parameters.apiURL == nil ? 0 : 1 } },
        ]
    }
}

extension Profile {
    /// More than one field: of a single one, the compiler would copy no more than that.
    fileprivate var size: Int { age &+ name.utf8.count }
}

/// The nanoseconds of each of `count` repetitions, with each number below 100 in turn.
@inline(__always)
private func inTurn(_ count: Int, _ body: (Int) -> Int) -> Double {
    var next = 0
    return summing(count) {
        defer { next = next == 99 ? 0 : next + 1 }
        return body(next)
    }
}
