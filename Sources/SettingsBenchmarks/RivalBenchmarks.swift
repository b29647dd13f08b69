import Foundation
import SettingsKit

extension Benchmark {
    /// Row 15: reading and changing a setting, compared with what programs use today.
    static func rivals() throws -> [Benchmark] {
        let own = try Writer(keyCount: 100)
        let settings = own.settings
        let get: Loop = { count in summing(count) { settings.get(.launchCount) } }
        let pairs: [(operation: RivalOperation, loop: Loop, others: [(rival: Rival, iterations: Int)])] = [
            (.get, get, [(.userDefaults, 20_000), (.plist, 1_000_000), (.json, 1_000_000), (.sqlite, 50_000)]),
            (
                .set, own.set,
                [(.userDefaults, 5_000), (.writtenUserDefaults, 20), (.plist, 20), (.json, 20), (.sqlite, 5_000)]
            ),
            (.safeSet, own.setAndSynchronize, [(.writtenUserDefaults, 20), (.safePlist, 20), (.safeSQLite, 20)]),
        ]
        return try pairs.flatMap { operation, loop, others in
            try others.map { rival, iterations in
                let folder = try RivalFolder(keyCount: 100)
                let other = try rival.open(folder.place(of: rival))
                var number = 8
                // A database in use has a change in its journal, and does not look at its size to read.
                if rival == .sqlite || rival == .safeSQLite { try other.set(number) }
                let yardstick = Yardstick(rival.rawValue) { [folder] count in
                    defer { withExtendedLifetime(folder) {} }
                    if operation == .get { return summing(count, other.get) }
                    return repeating(count) {
                        number += 1
                        try other.set(number)
                    }
                }
                return Benchmark(15, operation.rawValue, atMost: 1, yardstick, iterations: iterations, loop)
            }
        }
    }
}

/// A number and other settings as each rival keeps them.
final class RivalFolder {
    static let name = "launchCount"

    let folder: TemporaryFolder
    private let suiteName = "SettingsKit.benchmarks.\(UUID().uuidString)"

    init(keyCount: Int) throws {
        folder = try TemporaryFolder()
        let defaults = UserDefaults(suiteName: suiteName)
        var values: [String: Any] = [Self.name: 7]
        for number in 0..<keyCount { values["setting number \(number)"] = "value \(number)" }
        for (name, value) in values { defaults?.set(value, forKey: name) }
        defaults?.synchronize()
        for rival in [Rival.plist, .json] {
            try rival.data(of: values).write(to: URL(fileURLWithPath: place(of: rival)), options: .atomic)
        }
        PlainDatabase(URL(fileURLWithPath: place(of: .sqlite))).makeSettings(count: keyCount)
        try Rival.sqlite.open(place(of: .sqlite)).set(7)
    }

    deinit {
        let defaults = UserDefaults(suiteName: suiteName)
        defaults?.removePersistentDomain(forName: suiteName)
        defaults?.synchronize()
    }

    /// A path, or the name of a suite.
    func place(of rival: Rival) -> String {
        switch rival {
        case .userDefaults, .writtenUserDefaults: suiteName
        case .plist, .safePlist: folder["Rival.plist"].path
        case .json: folder["Rival.json"].path
        case .sqlite, .safeSQLite: folder["Rival.sqlite"].path
        }
    }
}

extension Rival {
    /// Reads and changes the number. The call of a closure is a hundredth of the least that a rival takes.
    func open(_ place: String) throws -> (get: () -> Int, set: (Int) throws -> Void) {
        let (url, name) = (URL(fileURLWithPath: place), RivalFolder.name)
        switch self {
        case .userDefaults, .writtenUserDefaults:
            guard let defaults = UserDefaults(suiteName: place) else { throw Child.Failure(program: place, status: 1) }
            return (
                { defaults.integer(forKey: name) },
                { number in
                    defaults.set(number, forKey: name)
                    if self == .writtenUserDefaults { defaults.synchronize() }
                }
            )
        // A dictionary with a lock, read from a file, and written back whole at each change.
        case .plist, .safePlist, .json:
            let data = try Data(contentsOf: url)
            let object =
                self == .json
                ? try JSONSerialization.jsonObject(with: data)
                : try PropertyListSerialization.propertyList(from: data, format: nil)
            let values = Locked(object as? [String: Any] ?? [:])
            return (
                { values.mutex.withLock { $0[name] as? Int ?? 0 } },
                { number in
                    try values.mutex.withLock { values in
                        values[name] = number
                        try self.data(of: values).write(to: url, options: .atomic)
                    }
                    // The file is synchronized by Foundation.
                    guard self == .safePlist else { return }
                    let directory = try FileHandle(forReadingFrom: url.deletingLastPathComponent())
                    try directory.synchronize()
                    try directory.close()
                }
            )
        // A table of names and values, with prepared statements.
        case .sqlite, .safeSQLite:
            let database = PlainDatabase(existing: url)
            let (select, upsert) = (
                database.statement(PlainDatabase.select), database.statement(PlainDatabase.upsert)
            )
            if self == .safeSQLite { database.execute("PRAGMA synchronous = FULL") }
            return (
                {
                    select.bind(name, at: 1)
                    defer { select.reset() }
                    return select.step() ? select.integer(0) : 0
                },
                { [database] number in
                    upsert.bind(name, at: 1)
                    upsert.bind(number, at: 2)
                    withExtendedLifetime(database) { upsert.run() }
                }
            )
        }
    }

    fileprivate func data(of values: [String: Any]) throws -> Data {
        self == .json
            ? try JSONSerialization.data(withJSONObject: values)
            : try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
    }
}
