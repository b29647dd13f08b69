import Foundation
import SettingsKit
import Synchronization

extension Benchmark {
    /// Row 15: reading and changing a setting, compared with what programs use today.
    static func rivals() throws -> [Benchmark] {
        let own = try OwnFile()
        let userDefaults = try DefaultsRival()
        let plist = try FileRival(.plist)
        let json = try FileRival(.json)
        let sqlite = try DatabaseRival(isSafe: false)
        let safeSQLite = try DatabaseRival(isSafe: true)

        func row(
            _ operation: RivalOperation, _ rival: Rival, iterations: Int, _ own: @escaping (Int) -> Double,
            _ other: @escaping (Int) -> Double
        ) -> Benchmark {
            Benchmark(
                row: 15, name: operation.rawValue, yardstickName: rival.rawValue, target: .costAtMost(1),
                iterations: iterations, operation: own, yardstick: other)
        }
        return [
            row(.get, .userDefaults, iterations: 20_000, own.measureGet, userDefaults.measureGet),
            row(.get, .plist, iterations: 1_000_000, own.measureGet, plist.measureGet),
            row(.get, .json, iterations: 1_000_000, own.measureGet, json.measureGet),
            row(.get, .sqlite, iterations: 50_000, own.measureGet, sqlite.measureGet),
            row(.set, .userDefaults, iterations: 5_000, own.measureSet, userDefaults.measureSet),
            row(.set, .writtenUserDefaults, iterations: 20, own.measureSet, userDefaults.measureSetAndSynchronize),
            row(.set, .plist, iterations: 20, own.measureSet) { plist.measureSet($0) },
            row(.set, .json, iterations: 20, own.measureSet) { json.measureSet($0) },
            row(.set, .sqlite, iterations: 5_000, own.measureSet, sqlite.measureSet),
            row(.safeSet, .writtenUserDefaults, iterations: 20, own.measureSafeSet) {
                userDefaults.measureSetAndSynchronize($0)
            },
            row(.safeSet, .safePlist, iterations: 20, own.measureSafeSet) { plist.measureSet($0, isSafe: true) },
            row(.safeSet, .safeSQLite, iterations: 20, own.measureSafeSet, safeSQLite.measureSet),
        ]
    }
}

/// The settings that each rival has.
private let names = (0..<100).map { "setting number \($0)" }
private let name = "launchCount"

/// A property list with this library.
private final class OwnFile {
    private let settings: SettingsService
    // Released last, because the store would create the directory again for changes that it has not written yet.
    private let folder: TemporaryFolder
    private var number = 0

    init() throws {
        folder = try TemporaryFolder()
        let store = try PropertyListStore(url: folder.file)
        try store.fill(names.count)
        settings = SettingsService(defaults: store)
        settings.set(.launchCount, to: 1)
    }

    func measureGet(_ count: Int) -> Double {
        nanosecondsEach(count) {
            var sum = 0
            for _ in 0..<count { sum &+= settings.get(.launchCount) }
            use(sum)
        }
    }

    func measureSet(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                settings.set(.launchCount, to: number)
            }
        }
    }

    func measureSafeSet(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                settings.set(.launchCount, to: number)
                orStop { try settings.synchronize() }
            }
        }
    }
}

/// A suite of `UserDefaults`.
final class DefaultsRival {
    let suiteName = "SettingsKit.benchmarks.\(UUID().uuidString)"
    private let defaults: UserDefaults
    private var number = 0

    init(keyCount: Int = names.count) throws {
        guard let defaults = UserDefaults(suiteName: suiteName) else { throw Unavailable(suite: suiteName) }
        self.defaults = defaults
        for number in 0..<keyCount { defaults.set("value \(number)", forKey: "setting number \(number)") }
        defaults.set(1, forKey: name)
        defaults.synchronize()
    }

    deinit {
        defaults.removePersistentDomain(forName: suiteName)
        defaults.synchronize()
    }

    struct Unavailable: Error {
        let suite: String
    }

    func measureGet(_ count: Int) -> Double {
        nanosecondsEach(count) {
            var sum = 0
            for _ in 0..<count { sum &+= defaults.integer(forKey: name) }
            use(sum)
        }
    }

    func measureSet(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                defaults.set(number, forKey: name)
            }
        }
    }

    func measureSetAndSynchronize(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                defaults.set(number, forKey: name)
                defaults.synchronize()
            }
        }
    }
}

/// A dictionary with a lock, read from a file, and written back whole at each change.
private final class FileRival {
    enum Format {
        case plist, json

        func data(of values: [String: Any]) throws -> Data {
            switch self {
            case .plist: try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
            case .json: try JSONSerialization.data(withJSONObject: values)
            }
        }

        func values(in data: Data) throws -> [String: Any]? {
            let object =
                switch self {
                case .plist: try PropertyListSerialization.propertyList(from: data, format: nil)
                case .json: try JSONSerialization.jsonObject(with: data)
                }
            return object as? [String: Any]
        }
    }

    private let format: Format
    private let folder: TemporaryFolder
    private let values: Mutex<[String: Any]>
    private var number = 0

    init(_ format: Format) throws {
        self.format = format
        folder = try TemporaryFolder()
        var written: [String: Any] = Dictionary(uniqueKeysWithValues: names.map { ($0, "value of \($0)") })
        written[name] = 1
        try format.data(of: written).write(to: folder.file, options: .atomic)
        values = Mutex(try format.values(in: Data(contentsOf: folder.file)) ?? [:])
    }

    func measureGet(_ count: Int) -> Double {
        nanosecondsEach(count) {
            var sum = 0
            for _ in 0..<count { sum &+= values.withLock { $0[name] as? Int ?? 0 } }
            use(sum)
        }
    }

    /// - Parameter isSafe: Whether the directory is synchronized, too. The file is, by Foundation.
    func measureSet(_ count: Int, isSafe: Bool = false) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                orStop {
                    try values.withLock { [number] values in
                        values[name] = number
                        try format.data(of: values).write(to: folder.file, options: .atomic)
                    }
                    guard isSafe else { return }
                    let directory = try FileHandle(forReadingFrom: folder.url)
                    try directory.synchronize()
                    try directory.close()
                }
            }
        }
    }
}

/// A table of names and values, with prepared statements.
private final class DatabaseRival {
    private let database: PlainDatabase
    private let select: PlainStatement
    private let upsert: PlainStatement
    private let folder: TemporaryFolder
    private var number = 0

    /// - Parameter isSafe: Whether a change survives a power failure.
    init(isSafe: Bool) throws {
        folder = try TemporaryFolder()
        database = PlainDatabase(folder.url.appendingPathComponent("rival.sqlite"))
        database.makeSettings(count: names.count)
        select = database.statement("SELECT value FROM settings WHERE name = ?")
        upsert = database.statement(PlainDatabase.upsert)
        if isSafe { database.execute("PRAGMA synchronous = FULL") }
        _ = measureSet(1)
    }

    func measureGet(_ count: Int) -> Double {
        nanosecondsEach(count) {
            var sum = 0
            for _ in 0..<count {
                select.bind(name, at: 1)
                if select.step() { sum &+= select.integer(0) }
                select.reset()
            }
            use(sum)
        }
    }

    func measureSet(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                upsert.bind(name, at: 1)
                upsert.bind(number, at: 2)
                upsert.run()
            }
        }
    }
}
