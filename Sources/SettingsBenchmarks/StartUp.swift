import Foundation
import SettingsKit

/// Row 13: a process that opens a property list, reads one setting and exits, compared with one that reads it with
/// Foundation.
///
/// This program starts itself for each measurement, so that all processes have the same libraries.
enum StartUp {
    /// The argument of a copy of this program, before the mode and the file.
    static let argument = "--start-up"
    private static let (own, foundation) = ("settingsKit", "foundation")

    static func figures(_ isQuick: Bool) throws -> [Figure] {
        try [(20, 1.1), (1_000, 0.9)].map { keyCount, target in
            let folder = try TemporaryFolder()
            let store = try folder.propertyList(keyCount: keyCount)
            SettingsService(defaults: store).set(.launchCount, to: 7)
            try store.bringUpToDate()
            func run(_ mode: String) -> Double {
                ContinuousClock().measure { Child.start(argument, mode, folder.file.path).wait() } / .nanoseconds(1)
            }
            var times: [String: [Double]] = [:]
            for round in 0..<(isQuick ? 16 : 51) {
                // Each is first every other time. The first round is a warm-up.
                for mode in round.isMultiple(of: 2) ? [own, foundation] : [foundation, own] {
                    let time = run(mode)
                    if round > 0 { times[mode, default: []].append(time) }
                }
            }
            return Figure(
                13, "start, open, one get, exit: \(keyCount) keys", .atMost(target), "the same with Foundation",
                times[own] ?? [], times[foundation] ?? [])
        }
    }

    /// The work of a copy of this program.
    static func run(_ mode: String, _ path: String) throws {
        let file = URL(fileURLWithPath: path)
        if mode == foundation {
            let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
            exit((list as? [String: Any])?["launchCount"] as? Int == 7 ? 0 : 1)
        }
        let settings = SettingsService(defaults: try PropertyListStore(url: file))
        // A program keeps its service until it ends.
        withExtendedLifetime(settings) { exit(settings.get(.launchCount) == 7 ? 0 : 1) }
    }
}
