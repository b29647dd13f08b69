import Foundation
import SettingsKit

/// How the time of a call grows with the number of keys, the size of a value, and the number of threads and processes.
struct Growth: Codable, Equatable {
    enum Dimension: String, Codable, CaseIterable {
        case keys, bytes, threads, processes

        /// From one to the largest. Ten times as many keys or bytes exceed the limit of a property list.
        var sizes: [Int] {
            switch self {
            case .keys: [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
            case .bytes: [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
            case .threads, .processes: [1, 2, 4, 8, 16, 32, 64]
            }
        }

        /// Threads of one process share an open file.
        var operations: [Operation] {
            self == .threads ? [.get, .set, .synchronize] : [.open, .get, .set, .synchronize]
        }
    }

    enum Operation: String, Codable, CaseIterable {
        case get, set
        case synchronize = "set and synchronize"
        case open = "open, get"
    }

    /// The nanoseconds of a call at each size.
    struct Line: Codable, Equatable {
        let dimension: Dimension
        let operation: Operation
        var sizes: [Int] = []
        var times: [Double] = []
    }

    let machine: String
    var lines: [Line]

    /// The argument that makes a copy of this program measure, before the operation with its numbers, and the file.
    static let argument = "--grow"
    /// The nanoseconds in which calls are counted.
    private static let window = 500_000_000

    /// Takes the least of three averages of each figure: other programs only slow down. A line ends where a store reports an error.
    static func measure(progress: (String) -> Void) throws -> Growth {
        var growth = Growth(machine: Machine.summary, lines: [])
        for dimension in Dimension.allCases {
            var lines = dimension.operations.map { Line(dimension: dimension, operation: $0) }
            for size in dimension.sizes {
                let folder = try folder(dimension, size)
                var rounds: [[Double?]] = []
                for _ in 0..<3 {
                    rounds.append(try dimension.operations.map { try time($0, dimension, size, folder) })
                }
                for index in lines.indices where lines[index].times.count == dimension.sizes.firstIndex(of: size) {
                    let times = rounds.compactMap { $0[index] }
                    guard let least = times.min(), times.count == rounds.count else { continue }
                    lines[index].sizes.append(size)
                    lines[index].times.append(least.rounded)
                }
                let times = rounds.map { $0.map { $0.map(Figure.time) ?? "error" }.joined(separator: ", ") }
                progress("\(size) \(dimension): \(times.joined(separator: "; "))")
            }
            growth.lines += lines
        }
        return growth
    }

    private static func folder(_ dimension: Dimension, _ size: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let keyCount = dimension == .keys ? size : 10
        let settings = SettingsService(defaults: try folder.propertyList(keyCount: keyCount - 1))
        if dimension == .bytes {
            settings.set(setting(0, default: ""), to: text("c", size))
        } else {
            settings.set(setting(0, default: 0), to: 3)
        }
        try settings.bringUpToDate()
        return folder
    }

    private static func setting<Value: Codable & Sendable>(
        _ number: Int, default value: Value
    ) -> SettingsService.Setting<Value> {
        SettingsService.Setting<Value>("grown \(number)", in: .defaults, default: value)
    }

    private static func text(_ character: Character, _ size: Int) -> String {
        String(repeating: character, count: size)
    }

    /// The time of a call, on average over all threads and processes. Nil if a store reports an error.
    private static func time(
        _ operation: Operation, _ dimension: Dimension, _ size: Int, _ folder: TemporaryFolder
    ) throws -> Double? {
        let (processes, numbers) = (dimension == .processes ? size : 1, Locked(0))
        // Beside the file, outputs would wake the processes that watch its directory.
        let outputs = try TemporaryFolder()
        let gate = open(outputs["gate"].path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        flock(gate, LOCK_EX)
        let opener = Thread {
            for number in 0..<processes {
                while ((try? Data(contentsOf: outputs["\(number)"])) ?? Data()).isEmpty { usleep(1_000) }
            }
            close(gate)
        }
        opener.start()
        _ = onThreads(processes, 1) { _ in
            let number = numbers.next()
            let words = "\(operation.rawValue);\(dimension);\(size);\(number);\(outputs["gate"].path)"
            let output = outputs["\(number)"].path
            orStop { try Child.run([Child.program, argument, words, folder.file.path], output: output) }
        }
        let totals = try (0..<processes).map { number in
            try JSONDecoder().decode(Total.self, from: Data(contentsOf: outputs["\(number)"]))
        }
        guard totals.allSatisfy({ $0.errors == 0 }) else { return nil }
        return Double(totals.map(\.nanoseconds).reduce(0, +)) / Double(totals.map(\.calls).reduce(0, +))
    }

    // MARK: The work of a copy of this program

    /// Of all threads of a process.
    private struct Total: Codable {
        var nanoseconds = 0
        var calls = 0
        var errors = 0
    }

    static func run(_ words: String, _ path: String) throws {
        let words = words.split(separator: ";").map(String.init)
        guard words.count == 5, let operation = Operation(rawValue: words[0]),
            let dimension = Dimension(rawValue: words[1]), let size = Int(words[2]), let process = Int(words[3])
        else { throw Child.Failure(program: argument, status: 64) }
        let (url, threads) = (URL(fileURLWithPath: path), dimension == .threads ? size : 1)
        func wait() { waitForOthers(words[4]) }
        let total =
            dimension == .bytes
            ? try count(operation, url, process, threads, "", (text("a", size), text("b", size)), wait)
            : try count(operation, url, process, threads, 0, (1, 2), wait)
        print(String(decoding: try JSONEncoder().encode(total), as: UTF8.self))
    }

    /// Counts the calls of each thread. All read one setting, and each sets a different one.
    private static func count<Value: Codable & Sendable>(
        _ operation: Operation, _ url: URL, _ process: Int, _ threads: Int, _ initial: Value, _ values: (Value, Value),
        _ waitForOthers: () -> Void
    ) throws -> Total {
        let (total, numbers, errors) = (Locked(Total()), Locked(process), Locked(0))
        @Sendable func open() throws -> SettingsService {
            SettingsService(
                stores: [.defaults: try PropertyListStore(url: url)],
                diagnosticSink: .init { _ in _ = errors.next() })
        }
        // Stores of one process share a file that is open.
        let settings = operation == .open ? SettingsService(defaults: MemoryStore()) : try open()
        let read = setting(0, default: initial)
        waitForOthers()
        _ = onThreads(threads, 1) { _ in
            let set = setting(numbers.next(), default: initial)
            var isOdd = false
            func change() {
                isOdd.toggle()
                settings.set(set, to: isOdd ? values.0 : values.1)
            }
            let loop: Loop =
                switch operation {
                case .open: { count in repeating(count) { use(try open().get(read)) } }
                case .get: { count in repeating(count) { use(settings.get(read)) } }
                case .set: { count in repeating(count) { change() } }
                case .synchronize:
                    { count in
                        repeating(count) {
                            change()
                            do { try settings.synchronize() } catch { _ = errors.next() }
                        }
                    }
                }
            _ = loop(1)
            let start = Child.now()
            var (calls, run, now) = (0, 1, start)
            repeat {
                let time = loop(run) * Double(run)
                calls += run
                // Reading the clock is no part of the time.
                if time < 20_000 { run *= 2 }
                now = Child.now()
            } while now - start < window
            total.mutex.withLock { total in
                total.nanoseconds += now - start
                total.calls += calls
            }
        }
        var sum = total.mutex.withLock { $0 }
        sum.errors = errors.next()
        return sum
    }

    /// Reports that this process is ready, and waits until all are.
    private static func waitForOthers(_ path: String) {
        let gate = open(path, O_RDONLY | O_CLOEXEC)
        write(STDOUT_FILENO, "\n", 1)
        flock(gate, LOCK_SH)
        close(gate)
    }
}

// MARK: Reading and writing

extension Growth {
    static func read(from path: String) throws -> Growth {
        try JSONDecoder().decode(Growth.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func json() throws -> String { try Machine.json(machine, "lines", lines) }

    func line(_ dimension: Dimension, _ operation: Operation) -> Line? {
        lines.first { $0.dimension == dimension && $0.operation == operation }
    }

    static let tableHead = "| grows | from, over, to | call | smallest | middle | largest |"

    /// The table of an article, with all of its lines.
    var table: String {
        let rows = lines.map { line in
            let places = [0, line.sizes.count / 2, line.sizes.count - 1]
            let sizes = places.map { line.sizes[$0].formatted(.number.locale(Locale(identifier: "en_US"))) }
            let cells = places.map { Figure.time(line.times[$0]) }
            return "| \(line.dimension) | \(sizes.joined(separator: " · ")) | \(line.operation.rawValue) | "
                + cells.joined(separator: " | ") + " |"
        }
        return ([Self.tableHead, "|---|---|---|---|---|---|"] + rows).joined(separator: "\n")
    }
}
