import Foundation
import SettingsKit
import SettingsKitPlatform

/// Row 20: the time of `set` while a property list is folded, compared with a bare append while a thread writes the same values
/// with Foundation.
///
/// A run of folding begins whenever the one before has ended. Before it, a few of the values change, all of them, or none; these
/// changes are not measured. Only calls during a run count. Each kind of values is measured in a process of its own, without the
/// background of other stores.
enum FoldingWait {
    /// The argument that makes a copy of this program measure, before the values, and the number of rounds and seconds.
    static let argument = "--folding-wait"

    /// The values in the file.
    enum Values: String, CaseIterable {
        case large = "20 values of 1 MB"
        case small = "100,000 keys"

        fileprivate var count: Int { self == .large ? 20 : 100_000 }

        /// The text under a key after a number of changes.
        fileprivate func text(_ key: Int, _ change: Int) -> String {
            let text = "value \(key) \(change) "
            return self == .small ? text : text + String(repeating: "0123456789abcdef", count: 62_500)
        }

        /// How many values change before a run.
        fileprivate func changedCount(_ run: Int) -> Int { [0, count / 20, count][run % 3] }
    }

    static func figures(_ options: Options) throws -> [Figure] {
        try Values.allCases.flatMap { values -> [Figure] in
            guard names(values).contains(where: { options.isWanted(20, $0) }) else { return [] }
            let output = try TemporaryFolder()["figures"]
            try Child.run(
                [Child.program, argument, values.rawValue, options.isQuick ? "2 1" : "5 3"], output: output.path)
            return try JSONDecoder().decode([Figure].self, from: Data(contentsOf: output))
        }
    }

    /// The names of the figures.
    private static func names(_ values: Values) -> [String] {
        ["99.9 % of set", "longest set", "longest bare append"].map {
            "\($0) during folding, beside \(values.rawValue)"
        }
    }

    /// The work of a copy of this program: prints the figures.
    static func run(_ values: String, _ numbers: String) throws {
        let numbers = numbers.split(separator: " ").compactMap { Int($0) }
        guard let values = Values(rawValue: values), numbers.count == 2 else {
            throw Child.Failure(program: argument, status: 1)
        }
        let (own, bare) = (try FoldedList(values), try WrittenFile(values))
        var (times, bareTimes): ([[Double]], [[Double]]) = ([], [])
        for _ in 0..<numbers[0] {
            bareTimes.append(bare.times(seconds: numbers[1]))
            times.append(own.times(seconds: numbers[1]))
        }
        let (names, all, bareAll) = (names(values), times.flatMap { $0 }, bareTimes.flatMap { $0 })
        let figures = [
            Figure(
                20, names[0], atMost: 2, "flock, append, unlock while a file is written",
                times.map { $0.percentile(99.9) },
                bareTimes.map { $0.percentile(99.9) }, calls: all, yardstickCalls: bareAll),
            Figure(20, names[1], "µs", all.max().map { $0 / 1_000 }, atMost: 5_000),
            Figure(20, names[2], "µs", bareAll.max().map { $0 / 1_000 }),
        ]
        print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
    }
}

/// Times calls while another thread writes.
private protocol Disturbed {
    /// Changes what the next run writes.
    func change(_ run: Int)
    /// What is timed.
    func call()
    /// Returns a run of the other thread.
    func disturbance() -> @Sendable () throws -> Void
}

extension Disturbed {
    /// The nanoseconds of each call during the runs of so many seconds.
    fileprivate func times(seconds: Int) -> [Double] {
        var (times, runs): ([Double], Int) = ([], 0)
        times.reserveCapacity(seconds * 500_000)
        let end = ContinuousClock.now + .seconds(seconds)
        while .now < end || runs < 3 {
            change(runs)
            let (isRunning, disturbance) = (Locked(true), disturbance())
            Thread {
                orStop(disturbance)
                isRunning.mutex.withLock { $0 = false }
            }.start()
            while isRunning.mutex.withLock({ $0 }) {
                let start = ContinuousClock.now
                call()
                times.append((ContinuousClock.now - start) / .nanoseconds(1))
            }
            runs += 1
        }
        return times
    }
}

/// A property list that is folded.
private struct FoldedList: Disturbed {
    private let values: FoldingWait.Values
    private let store: PropertyListStore
    private let writer: Writer

    init(_ values: FoldingWait.Values) throws {
        self.values = values
        store = try TemporaryFolder().propertyList(keyCount: 0)
        writer = Writer(SettingsService(defaults: store))
        set(values.count, change: -1)
        try store.bringUpToDate()
    }

    func change(_ run: Int) { set(values.changedCount(run), change: run) }

    private func set(_ count: Int, change: Int) {
        // Large values one by one, as programs set them.
        for start in stride(from: 0, to: count, by: values == .large ? 1 : 1_000) {
            let writes = (start..<min(count, start + 1_000)).prefix(values == .large ? 1 : 1_000).map { key in
                SettingsStoreBatch.Entry(
                    key: .init("setting number \(key)", scope: .defaults),
                    data: Data("\"\(values.text(key, change))\"".utf8))
            }
            _ = orStop { try store.apply(SettingsStoreBatch(writes: writes)) }
        }
    }

    func call() { _ = writer.set(1) }

    func disturbance() -> @Sendable () throws -> Void { store.bringUpToDate }
}

/// A file of values that is written again and again, beside a file to which is appended.
private struct WrittenFile: Disturbed {
    private let members: [String: String]
    private let file: URL
    private let append: BareAppend

    init(_ values: FoldingWait.Values) throws {
        let folder = try TemporaryFolder()
        (file, append) = (folder["Bare.plist"], BareAppend(folder["bare"]))
        members = Dictionary(
            uniqueKeysWithValues: (0..<values.count).map { ("setting number \($0)", values.text($0, 0)) })
    }

    func change(_ run: Int) {}

    func call() { append() }

    func disturbance() -> @Sendable () throws -> Void {
        { [members, file] in
            let data = try PropertyListSerialization.data(fromPropertyList: members, format: .xml, options: 0)
            try data.write(to: file, options: .atomic)
        }
    }
}
