import Foundation
import SettingsKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Benchmark {
    /// Rows 4 to 6, and 12: the property list and its journal.
    static func files() throws -> [Benchmark] {
        let few = try Writing(keyCount: 10)
        let layered = try Writing(keyCount: 10, hasLayers: true)
        let many = try Writing(keyCount: 100_000)
        let append = try LockedAppend()
        let opening = try Opening(keyCount: 10_000)
        func writing(_ name: String, atMost ratio: Double, _ operation: @escaping (Int) -> Double) -> Benchmark {
            Benchmark(
                row: 4, name: name, yardstickName: "flock, append of 64 bytes, unlock", target: .costAtMost(ratio),
                iterations: 50_000, operation: operation, yardstick: append.measure)
        }
        return [
            writing("set in a property list", atMost: 1.6, few.measure),
            writing("update in a property list", atMost: 2, few.measureUpdate),
            writing("transaction of two in a property list", atMost: 2.5, few.measureTransaction),
            Benchmark(
                row: 4, name: "set through five layers", yardstickName: "set in a property list",
                target: .costAtMost(1.1), iterations: 50_000, operation: layered.measure, yardstick: few.measure),
            Benchmark(
                row: 5, name: "set with 100,000 keys stored", yardstickName: "set with 10",
                target: .costAtMost(1.2), iterations: 50_000, operation: many.measure, yardstick: few.measure),
            Benchmark(
                row: 6, name: "open of 10,000 keys, to the first get", yardstickName: "Foundation parsing the file",
                target: .costAtMost(1.2), iterations: 10, operation: opening.measure, yardstick: opening.measureParsing),
            Benchmark(
                row: 12, name: "a field of a record written", yardstickName: "set of it as a setting",
                target: .costAtMost(1.5), iterations: 20_000, operation: few.measureField, yardstick: few.measure),
        ]
    }
}

/// A service over a property list in which one setting is set repeatedly.
final class Writing {
    static let longestName = "longest set under a steady load of writes"

    private let settings: SettingsService
    private let counters: SettingsStorage<Counters>
    // Released last, because the store would create the directory again for changes that it has not written yet.
    private let folder: TemporaryFolder
    /// Each value differs from the one before, because equal ones are not written.
    private var number = 0

    init(keyCount: Int, hasLayers: Bool = false) throws {
        folder = try TemporaryFolder()
        let store = try PropertyListStore(url: folder.file)
        try store.fill(keyCount)
        settings = SettingsService(defaults: hasLayers ? try store.amongLayers : store)
        counters = try SettingsStorage(name: "counters", in: store)
    }

    func measure(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                settings.set(.launchCount, to: number)
            }
        }
    }

    func measureUpdate(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count { settings.update(.launchCount) { $0 += 1 } }
        }
    }

    func measureTransaction(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                settings.transaction { [number] transaction in
                    transaction.set(.launchCount, to: number)
                    transaction.set(.windowCount, to: number)
                }
            }
        }
    }

    func measureField(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                counters.set(\.count, to: number)
            }
        }
    }
}

extension Writing {
    /// The microseconds of the longest write in a series of the given duration.
    func longest(seconds: Double) -> Double {
        let end = Date().addingTimeInterval(seconds)
        var longest = 0.0
        while Date() < end {
            longest = max(longest, measure(1))
        }
        return longest / 1_000
    }
}

/// The least that an operation can cost that survives the end of the process and excludes other processes.
private final class LockedAppend {
    private let folder: TemporaryFolder
    private let descriptor: Int32

    init() throws {
        folder = try TemporaryFolder()
        descriptor = open(folder.file.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }

    deinit { close(descriptor) }

    func measure(_ count: Int) -> Double {
        let bytes = [UInt8](repeating: 1, count: 64)
        return nanosecondsEach(count) {
            for _ in 0..<count {
                flock(descriptor, LOCK_EX)
                use(write(descriptor, bytes, bytes.count))
                flock(descriptor, LOCK_UN)
            }
        }
    }
}

/// A property list that is opened repeatedly.
private final class Opening {
    private let folder: TemporaryFolder
    private let setting = Setting<String>("setting number 4711", in: .defaults, default: "")

    init(keyCount: Int) throws {
        folder = try TemporaryFolder()
        try PropertyListStore(url: folder.file).fill(keyCount)
    }

    func measure(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                orStop {
                    let settings = SettingsService(defaults: try PropertyListStore(url: folder.file))
                    precondition(settings.get(setting) == "value 4711")
                }
            }
        }
    }

    func measureParsing(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                orStop {
                    let data = try Data(contentsOf: folder.file)
                    use(try PropertyListSerialization.propertyList(from: data, format: nil))
                }
            }
        }
    }
}

extension PropertyListStore {
    /// The store as the writable one of five layers.
    var amongLayers: LayeredStore {
        get throws {
            try LayeredStore([
                .locked(MemoryStore(), name: "managed"), .arguments(["--verbose"]),
                .environment(prefix: "BENCHMARK_", ["BENCHMARK_COLOR": "red"]), .writable(self),
                .fallback(MemoryStore(["launchCount": Data("7".utf8)]), name: "system"),
            ])
        }
    }

    /// Stores a text under each of a number of keys.
    func fill(_ keyCount: Int) throws {
        let writes = (0..<keyCount).map { number in
            SettingsStoreBatch.Entry(
                key: .init("setting number \(number)", scope: .defaults), data: Data("\"value \(number)\"".utf8))
        }
        _ = try apply(SettingsStoreBatch(writes: writes))
        try synchronize()
    }
}
