import Foundation
import SettingsKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Row 13: a process that opens a property list, reads one setting and exits, compared with one that reads it with
/// Foundation. Row 15: the same, compared with what programs use today.
///
/// This program starts itself for each measurement, so that all processes have the same libraries. Empty runs are
/// measured between the others, and runs of `settings get`, which are compared with them.
struct StartUp {
    enum Mode: String, CaseIterable {
        case empty, settingsKit, foundation
        /// The tool instead of this program.
        case tool
        case userDefaults, json, sqlite

        static let rivals: [(mode: Mode, rival: Rival)] = [
            (.userDefaults, .userDefaults), (.foundation, .plist), (.json, .json), (.sqlite, .sqlite),
        ]
    }

    /// The argument of a copy of this program, before the mode and the file.
    static let argument = "--start-up"
    static let name = "start, open, one get, exit"
    private static let toolName = "settings get, start to end"
    private static let settingName = "setting number 7"

    let keyCount: Int
    private let hasRivals: Bool
    private let folder: TemporaryFolder
    private let userDefaults: DefaultsRival

    /// - Returns: nil if none of the rows is wanted. Row 15 is measured with 20 keys.
    init?(keyCount: Int, _ isWanted: (Int, String) -> Bool) throws {
        self.keyCount = keyCount
        hasRivals = keyCount == 20
        guard
            isWanted(13, Self.name) || isWanted(13, Self.toolName)
                || (hasRivals && isWanted(15, RivalOperation.start.rawValue))
        else { return nil }
        folder = try TemporaryFolder()
        try PropertyListStore(url: folder.file).fill(keyCount)
        userDefaults = try DefaultsRival(keyCount: keyCount)
        let values = (0..<keyCount).map { ("setting number \($0)", "value \($0)") }
        try JSONSerialization.data(withJSONObject: Dictionary(uniqueKeysWithValues: values)).write(to: file(.json))
        PlainDatabase(file(.sqlite)).makeSettings(count: keyCount)
    }

    /// Where a process reads.
    private func file(_ mode: Mode) -> URL {
        switch mode {
        case .json: folder.url.appendingPathComponent("Settings.json")
        case .sqlite: folder.url.appendingPathComponent("Settings.sqlite")
        case .empty, .settingsKit, .foundation, .tool, .userDefaults: folder.file
        }
    }

    private var modes: [Mode] {
        Mode.allCases.filter { mode in
            hasRivals || mode == .foundation || !Mode.rivals.contains { $0.mode == mode }
        }
    }

    private var rowName: String { "\(Self.name): \(keyCount) keys" }

    /// Starts each process a number of times, in turn.
    func measure(starts: Int) throws -> (outcomes: [Outcome], figures: [Figure]) {
        var times: [Mode: [Double]] = [:]
        for mode in modes { _ = try start(mode) }
        for round in 0..<starts {
            // Each is first in turn.
            for turn in modes.indices {
                let mode = modes[(round + turn) % modes.count]
                times[mode, default: []].append(try start(mode))
            }
        }
        let empty = times[.empty] ?? []
        func outcome(
            _ mode: Mode, _ name: String, to yardstick: Mode, _ yardstickName: String, limit: Double, row: Int = 13
        ) -> Outcome {
            let (own, other) = (times[mode] ?? [], times[yardstick] ?? [])
            let benchmark = Benchmark(
                row: row, name: name, yardstickName: yardstickName, target: .costAtMost(limit), iterations: 1,
                operation: { _ in 0 }, yardstick: { _ in 0 })
            return benchmark.outcome(
                zip(own, other).map { ($0, $1) }, calls: Sample(own), yardstickCalls: Sample(other))
        }
        var outcomes = [
            outcome(
                .settingsKit, rowName, to: .foundation, "the same with Foundation", limit: keyCount < 100 ? 1.05 : 0.8),
            outcome(
                .tool, "\(Self.toolName): \(keyCount) keys", to: .empty, "an empty program with Foundation",
                limit: 1.3),
        ]
        for (mode, rival) in Mode.rivals where hasRivals {
            outcomes.append(
                outcome(
                    .settingsKit, RivalOperation.start.rawValue, to: mode, rival.rawValue, limit: 1.05, row: 15))
        }
        var figures: [Figure] = []
        func add(_ name: String, _ unit: String, _ value: Double?) {
            figures.append(Figure(row: 13, name: "\(rowName): \(name)", unit: unit, value: value, limit: nil))
        }
        add("empty run", "µs", Sample(empty).median / 1_000)
        func addBeyondEmpty(_ name: String, _ mode: Mode) {
            add(name, "µs", Sample(zip(times[mode] ?? [], empty).map { $0 - $1 }).median / 1_000)
        }
        addBeyondEmpty("beyond an empty run", .settingsKit)
        addBeyondEmpty("Foundation beyond an empty run", .foundation)
        for mode in modes { add("system calls, \(mode.rawValue)", "calls", try systemCalls(mode).map(Double.init)) }
        return (outcomes, figures)
    }

    // MARK: The processes

    private func arguments(_ mode: Mode) -> [String] {
        let program = CommandLine.arguments[0]
        let place = mode == .userDefaults ? userDefaults.suiteName : file(mode).path
        guard mode == .tool else { return [program, Self.argument, mode.rawValue, place] }
        // Both lie in the same directory.
        let tool = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("settings").path
        return [tool, "get", "--file", place, Self.settingName]
    }

    /// - Returns: the nanoseconds of a process, from its start to its end.
    private func start(_ mode: Mode) throws -> Double {
        var status: Int32 = 0
        let time = try nanosecondsOnce {
            let process = try Self.spawn(arguments(mode))
            while waitpid(process, &status, 0) == -1 && errno == EINTR {}
        }
        guard status == 0 else { throw Failure(what: mode.rawValue, status: status) }
        return time
    }

    private static func spawn(_ arguments: [String]) throws -> pid_t {
        var process = pid_t()
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        let status = posix_spawnp(&process, arguments[0], &actions, nil, &pointers, environ)
        guard status == 0 else { throw Failure(what: arguments[0], status: status) }
        return process
    }

    /// The number of system calls of a process, with all of its threads.
    ///
    /// - Returns: nil if `strace` is not installed.
    private func systemCalls(_ mode: Mode) throws -> Int? {
        let list = folder.url.appendingPathComponent("calls").path
        let process: pid_t
        do {
            process = try Self.spawn(["strace", "-f", "-c", "-o", list] + arguments(mode))
        } catch let failure as Failure where failure.status == ENOENT {
            return nil
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 && errno == EINTR {}
        // Some systems do not let one process trace another.
        guard status == 0 else { return nil }
        // "100.00    0.001234           2       512        34 total"
        let total = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").last {
            $0.hasSuffix("total")
        }
        let words = total?.split(separator: " ") ?? []
        return words.count > 3 ? Int(words[3]) : nil
    }

    /// The work of a copy of this program.
    static func run(_ mode: Mode, path: String) throws {
        switch mode {
        case .empty, .tool: break
        case .settingsKit:
            let settings = SettingsService(defaults: try PropertyListStore(url: URL(fileURLWithPath: path)))
            let setting = Setting<String>(settingName, in: .defaults, default: "")
            try check(settings.get(setting), mode)
            // A program keeps its service until it ends.
            withExtendedLifetime(settings) { exit(0) }
        case .foundation:
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            try check(list?[settingName] as? String, mode)
        case .json:
            let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
            try check((object as? [String: Any])?[settingName] as? String, mode)
        case .userDefaults:
            try check(UserDefaults(suiteName: path)?.string(forKey: settingName), mode)
        case .sqlite:
            let database = PlainDatabase(existing: URL(fileURLWithPath: path))
            let select = database.statement("SELECT value FROM settings WHERE name = ?")
            select.bind(settingName, at: 1)
            try check(select.step() ? select.text(0) : nil, mode)
        }
    }

    private static func check(_ value: String?, _ mode: Mode) throws {
        guard value == "value 7" else { throw Failure(what: mode.rawValue, status: 1) }
    }

    private struct Failure: Error, CustomStringConvertible {
        let what: String
        let status: Int32

        var description: String { "\(what) failed with status \(status)." }
    }
}

/// The nanoseconds of an operation.
private func nanosecondsOnce(_ body: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(body)
    return duration / .nanoseconds(1)
}
