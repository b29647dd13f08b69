import Foundation
import SettingsKit

/// Row 13: a process that opens a property list, reads one setting and exits, compared with one that reads it with
/// Foundation. Row 15: the same, compared with what programs use today.
///
/// This program starts itself for each measurement, so that all processes have the same libraries. Empty runs are
/// measured between the others, and runs of `settings get`, which are compared with them.
enum StartUp {
    /// What a process does, and the rival that it uses.
    private static let modes: KeyValuePairs<String, Rival?> = [
        "empty": nil, "settingsKit": nil, "foundation": .plist,
        // The tool instead of this program.
        "tool": nil,
        "userDefaults": .userDefaults, "json": .json, "sqlite": .sqlite,
    ]

    /// The argument of a copy of this program, before the mode and the file.
    static let argument = "--start-up"

    /// Row 15 is measured with 20 keys.
    static func figures(keyCount: Int, _ options: Options) throws -> [Figure] {
        let name = "start, open, one get, exit: \(keyCount) keys"
        let toolName = "settings get, start to end: \(keyCount) keys"
        let (hasRivals, rivalName) = (keyCount == 20, RivalOperation.start.rawValue)
        guard
            options.isWanted(13, name) || options.isWanted(13, toolName)
                || (hasRivals && options.isWanted(15, rivalName))
        else { return [] }
        let folder = try RivalFolder(keyCount: keyCount)
        let settings = SettingsService(defaults: try folder.folder.propertyList(keyCount: keyCount))
        settings.set(.launchCount, to: 7)
        try settings.bringUpToDate()
        let wanted = modes.filter { mode, rival in hasRivals || rival == nil || mode == "foundation" }
        let commands = wanted.map { mode, rival in (mode: mode, rival: rival, words: arguments(mode, rival, folder)) }
        var times: [String: [Double]] = [:]
        for command in commands { try Child.run(command.words) }
        for round in 0..<(options.isQuick ? 15 : 50) {
            // Each is first in turn.
            for turn in commands.indices {
                let command = commands[(round + turn) % commands.count]
                let duration = try ContinuousClock().measure { try Child.run(command.words) }
                times[command.mode, default: []].append(duration / .nanoseconds(1))
            }
        }
        func figure(
            _ row: Int, _ name: String, _ mode: String, atMost: Double, _ yardstick: String, _ other: String
        ) -> Figure {
            Figure(row, name, atMost: atMost, yardstick, times[mode] ?? [], times[other] ?? [])
        }
        let atMost = keyCount < 100 ? 1.05 : 0.8
        return [
            figure(13, name, "settingsKit", atMost: atMost, "the same with Foundation", "foundation"),
            figure(13, toolName, "tool", atMost: 1.3, "an empty program with Foundation", "empty"),
        ]
            + ["userDefaults", "foundation", "json", "sqlite"].compactMap { mode in
                let rival = hasRivals ? commands.first { $0.mode == mode }?.rival : nil
                return rival.map { figure(15, rivalName, "settingsKit", atMost: 1.05, $0.rawValue, mode) }
            }
            + commands.map { command in
                Figure(13, "\(name): system calls, \(command.mode)", "calls", systemCalls(command.words, folder))
            }
    }

    private static func arguments(_ mode: String, _ rival: Rival?, _ folder: RivalFolder) -> [String] {
        // Foundation reads the same file as this library.
        let file = folder.folder.file.path
        let place = mode == "foundation" ? file : rival.map(folder.place) ?? file
        guard mode == "tool" else { return [Child.program, argument, mode, place] }
        // Both lie in the same directory.
        let tool = URL(fileURLWithPath: Child.program).deletingLastPathComponent().appendingPathComponent("settings")
        return [tool.path, "get", "--file", place, RivalFolder.name]
    }

    /// The number of system calls of a process, with all of its threads.
    ///
    /// - Returns: nil if `strace` is not installed, or the system does not let one process trace another.
    private static func systemCalls(_ command: [String], _ folder: RivalFolder) -> Double? {
        let list = folder.folder["calls"]
        guard (try? Child.run(["strace", "-f", "-c", "-o", list.path] + command)) != nil else { return nil }
        // "100.00    0.001234           2       512        34 total"
        let lines = orStop { try String(contentsOf: list, encoding: .utf8) }.split(separator: "\n")
        let words = lines.last { $0.hasSuffix("total") }?.split(separator: " ") ?? []
        return words.count > 3 ? Double(words[3]) : nil
    }

    /// The work of a copy of this program.
    static func run(_ mode: String, _ place: String) throws {
        if mode == "empty" { return }
        if let rival = modes.first(where: { $0.key == mode })?.value {
            exit(try rival.open(place).get() == 7 ? 0 : 1)
        }
        let settings = SettingsService(defaults: try PropertyListStore(url: URL(fileURLWithPath: place)))
        // A program keeps its service until it ends.
        withExtendedLifetime(settings) { exit(settings.get(.launchCount) == 7 ? 0 : 1) }
    }
}
