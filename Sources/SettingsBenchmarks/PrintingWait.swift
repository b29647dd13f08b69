import Foundation
import SettingsKit

/// Row 20: the longest `set` while the property list is written, compared with a bare append while a thread writes the same
/// values with Foundation.
///
/// A run of writing begins whenever the one before has ended. Before it, a few of the values change, all of them, or none; these
/// changes are not measured. Only calls during a run count.
enum PrintingWait {
    static func figures(_ isQuick: Bool) throws -> [Figure] {
        let (rounds, seconds) = isQuick ? (1, 1) : (5, 3)
        return try Values.allCases.map { values in
            let (own, bare) = (try list(of: values), try bareFile(of: values))
            var (longest, longestBare) = (0.0, 0.0)
            for _ in 0..<rounds {
                longestBare = max(longestBare, bare.longestCall(seconds: seconds))
                longest = max(longest, own.longestCall(seconds: seconds))
            }
            var figure = Figure(
                20, "longest set while \(values.rawValue) are written", .atMost(60), Figure.milliseconds, longest / 1e6)
            (figure.yardstick, figure.yardstickTime) = ("longest bare append", longestBare.rounded())
            return figure
        }
    }

    /// The values in the file.
    private enum Values: String, CaseIterable {
        case large = "20 values of 1 MB"
        case small = "100,000 keys"

        var count: Int { self == .large ? 20 : 100_000 }

        /// The text under a key after a number of changes.
        func text(_ key: Int, _ change: Int) -> String {
            let text = "value \(key) \(change) "
            return self == .small ? text : text + String(repeating: "0123456789abcdef", count: 62_500)
        }

        /// Stores the first values, after a number of changes.
        func store(_ count: Int, _ change: Int, in store: PropertyListStore) throws {
            // Large values one by one, as programs set them.
            let size = self == .large ? 1 : 1_000
            for start in stride(from: 0, to: count, by: size) {
                try store.fill(start..<min(count, start + size)) { text($0, change) }
            }
        }
    }

    /// Calls that are timed while another thread writes.
    private struct Disturbed {
        /// Changes what the next run writes.
        let change: (_ run: Int) -> Void
        let call: () -> Void
        /// A run of the other thread.
        let disturbance: @Sendable () throws -> Void

        /// The nanoseconds of the longest call during the runs of so many seconds.
        func longestCall(seconds: Int) -> Double {
            var (longest, runs) = (Duration.zero, 0)
            let end = ContinuousClock.now + .seconds(seconds)
            while .now < end || runs < 3 {
                change(runs)
                let isRunning = Locked(true)
                Thread { [disturbance] in
                    orStop(disturbance)
                    isRunning.mutex.withLock { $0 = false }
                }.start()
                while isRunning.mutex.withLock({ $0 }) { longest = max(longest, ContinuousClock().measure(call)) }
                runs += 1
            }
            return longest / .nanoseconds(1)
        }
    }

    private static func list(of values: Values) throws -> Disturbed {
        let store = try TemporaryFolder().propertyList(keyCount: 0)
        let writer = Writer(SettingsService(defaults: store))
        try values.store(values.count, -1, in: store)
        try store.bringUpToDate()
        return Disturbed(
            change: { run in
                let count = [0, values.count / 20, values.count][run % 3]
                orStop { try values.store(count, run, in: store) }
            }, call: { _ = writer.set(1) }, disturbance: store.bringUpToDate)
    }

    private static func bareFile(of values: Values) throws -> Disturbed {
        let folder = try TemporaryFolder()
        let (file, append) = (folder["Bare.plist"], BareAppend(folder["bare"]))
        let members = Dictionary(
            uniqueKeysWithValues: (0..<values.count).map { ("setting number \($0)", values.text($0, 0)) })
        return Disturbed(change: { _ in }, call: { append() }) {
            let data = try PropertyListSerialization.data(fromPropertyList: members, format: .xml, options: 0)
            try data.write(to: file, options: .atomic)
        }
    }
}
