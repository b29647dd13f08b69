import SettingsKit
import Synchronization

extension Benchmark {
    /// Rows 1 to 3.
    static func inMemory() throws -> [Benchmark] {
        let fixture = try Fixture()
        return reading(fixture) + handles(fixture) + threads(fixture)
    }

    /// Row 1: `get`, compared with a lookup in a locked dictionary.
    static func reading(_ fixture: Fixture) -> [Benchmark] {
        let settings = fixture.settings
        let yardstick = DictionaryYardstick()

        func row(_ name: String, _ operation: @escaping (Int) -> Double) -> Benchmark {
            Benchmark(
                row: 1, name: name, yardstickName: "Mutex<[String: Int]> look-up, 100 keys", target: .costAtMost(0.4),
                iterations: 2_000_000, operation: operation, yardstick: yardstick.measure)
        }
        return [
            row("get of an Int") { count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= settings.get(.launchCount) }
                    use(sum)
                }
            },
            // Swift checks at each use of a `static let` that it has its value; a variable needs no check.
            row("get of an Int, definition in a variable") { [setting = SettingDefinition.launchCount] count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= settings.get(setting) }
                    use(sum)
                }
            },
            row("get of an Int through five layers") { [settings = fixture.layered] count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= settings.get(.launchCount) }
                    use(sum)
                }
            },
            row("get of a String") { count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= settings.get(.theme).utf8.count }
                    use(sum)
                }
            },
            row("get of a long String") { count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= settings.get(.greeting).utf8.count }
                    use(sum)
                }
            },
            row("get of a small struct") { count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= settings.get(.profile).age }
                    use(sum)
                }
            },
            row("get of 100 Ints in turn") { [numbers = fixture.numbers] count in
                nanosecondsEach(count) {
                    var sum = 0
                    var next = 0
                    for _ in 0..<count {
                        sum &+= settings.get(numbers[next])
                        next = next == 99 ? 0 : next + 1
                    }
                    use(sum)
                }
            },
        ]
    }

    /// Row 2: reading through a handle, compared with reading a locked variable of the same type.
    static func handles(_ fixture: Fixture) -> [Benchmark] {
        func row(
            _ name: String, _ yardstick: VariableYardstick, _ operation: @escaping (Int) -> Double
        ) -> Benchmark {
            Benchmark(
                row: 2, name: name, yardstickName: yardstick.name, target: .costAtMost(2), iterations: 2_000_000,
                operation: operation, yardstick: yardstick.measure)
        }
        let settings = fixture.settings
        let number = VariableYardstick.number
        let text = VariableYardstick.text(settings.get(.theme))
        let profile = VariableYardstick.profile(settings.get(.profile))
        let isDetailed = VariableYardstick.isDetailed(of: fixture.parameters.get())
        return [
            row("Value of an Int", number) { [live = fixture.settings.value(.launchCount)] count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= live.value }
                    use(sum)
                }
            },
            row("Value of a String", text) { [live = fixture.settings.value(.theme)] count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= live.value.utf8.count }
                    use(sum)
                }
            },
            row("Value of a small struct", profile) { [live = fixture.settings.value(.profile)] count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count {
                        let profile = live.value
                        sum &+= profile.age &+ profile.name.utf8.count
                    }
                    use(sum)
                }
            },
            row("@Persisted Int", number) { [wrapper = Persisted(.launchCount, in: fixture.settings)] count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= wrapper.wrappedValue }
                    use(sum)
                }
            },
            row("@Persisted String", text) { [wrapper = Persisted(.theme, in: fixture.settings)] count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= wrapper.wrappedValue.utf8.count }
                    use(sum)
                }
            },
            row("an Int of a record of numbers", number) { [record = fixture.counters] count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count { sum &+= record.count }
                    use(sum)
                }
            },
            row("a Bool of a record with a URL in it", isDetailed) { [record = fixture.parameters] count in
                nanosecondsEach(count) {
                    var sum = 0
                    for _ in 0..<count where record.isDetailed { sum &+= 1 }
                    use(sum)
                }
            },
        ]
    }
}

/// A dictionary with a lock, as a program would write it.
private final class DictionaryYardstick: Sendable {
    private let names = (0..<100).map { "setting-\($0)" }
    private let dictionary: Mutex<[String: Int]>

    init() {
        dictionary = Mutex(Dictionary(uniqueKeysWithValues: (0..<100).map { ("setting-\($0)", $0) }))
    }

    func measure(_ count: Int) -> Double {
        nanosecondsEach(count) {
            var sum = 0
            var next = 0
            for _ in 0..<count {
                sum &+= dictionary.withLock { $0[names[next]] ?? 0 }
                next = next == 99 ? 0 : next + 1
            }
            use(sum)
        }
    }
}

/// A variable with a lock, of the type that the operation reads. Each type has a loop of its own, as a program would write it.
private struct VariableYardstick {
    let name: String
    let measure: (Int) -> Double

    static var number: VariableYardstick {
        let variable = Locked(4)
        return VariableYardstick(name: "Mutex<Int> read") { count in
            nanosecondsEach(count) {
                var sum = 0
                for _ in 0..<count { sum &+= variable.mutex.withLock { $0 } }
                use(sum)
            }
        }
    }

    static func text(_ text: String) -> VariableYardstick {
        let variable = Locked(text)
        return VariableYardstick(name: "Mutex<String> read") { count in
            nanosecondsEach(count) {
                var sum = 0
                for _ in 0..<count { sum &+= variable.mutex.withLock { $0 }.utf8.count }
                use(sum)
            }
        }
    }

    static func profile(_ profile: Profile) -> VariableYardstick {
        let variable = Locked(profile)
        return VariableYardstick(name: "Mutex<Profile> read") { count in
            nanosecondsEach(count) {
                var sum = 0
                // More than one field: of a single one, the compiler would copy no more than that.
                for _ in 0..<count {
                    let profile = variable.mutex.withLock { $0 }
                    sum &+= profile.age &+ profile.name.utf8.count
                }
                use(sum)
            }
        }
    }

    static func isDetailed(of parameters: Parameters) -> VariableYardstick {
        let variable = Locked(parameters)
        return VariableYardstick(name: "Mutex<Parameters> read of the Bool") { count in
            nanosecondsEach(count) {
                var sum = 0
                for _ in 0..<count where variable.mutex.withLock({ $0.isDetailed }) { sum &+= 1 }
                use(sum)
            }
        }
    }

    private final class Locked<Value: Sendable>: Sendable {
        let mutex: Mutex<Value>

        init(_ value: Value) { mutex = Mutex(value) }
    }
}
