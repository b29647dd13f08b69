import Foundation
import SettingsKitCore

extension StoreConformance {
    /// Writes numbered changes to a store and acknowledges each, until the process is killed. Use it in the process of the
    /// suite's closure `killed:`.
    ///
    /// Call it in a small program that your tests start, with the store on the medium that the program's arguments name:
    ///
    /// ```swift
    /// try StoreConformance.writeUntilKilled(to: MyStore(at: CommandLine.arguments[1]))
    /// ```
    ///
    /// It prints each acknowledged number on a separate line. A process that cannot print ends.
    ///
    /// - Parameters:
    ///   - store: An open store.
    ///   - synchronizing: Whether a change counts as acknowledged only after `synchronize()`. Pass false if your store says
    ///     that a change survives the end of the process when `set` has returned.
    /// - Throws: Errors of the store.
    public static func writeUntilKilled(to store: any SettingsStore, synchronizing: Bool = false) throws -> Never {
        try write(to: store, synchronizing: synchronizing) { number in
            // Prints at once.
            let line = Array("\(number)\n".utf8)
            return Foundation.write(STDOUT_FILENO, line, line.count) == line.count
        }
        exit(1)
    }

    /// Writes numbered changes to a store, starting after the last stored one.
    ///
    /// A change is one `set` and one batch. Use it if your closure `killed:` has a process that does not print, such as an exit
    /// test.
    ///
    /// - Parameters:
    ///   - store: An open store.
    ///   - synchronizing: Whether to call `synchronize()` after each `set` and each batch.
    ///   - acknowledge: Called after each change, with its number. Return false to stop.
    /// - Throws: Errors of the store and of `acknowledge`.
    public static func write(
        to store: any SettingsStore, synchronizing: Bool = false, acknowledge: (Int) throws -> Bool
    ) throws {
        var number = try WriterKeys.number(in: store)
        repeat {
            number += 1
            try store.set(key(WriterKeys.single), to: WriterKeys.data(number))
            if synchronizing { try store.synchronize() }
            let writes = WriterKeys.batch.map { SettingsStoreBatch.Entry(key: key($0), data: WriterKeys.data(number)) }
            try require(store.apply(SettingsStoreBatch(writes: writes)), "A batch without expectations was refused.")
            if synchronizing { try store.synchronize() }
        } while try acknowledge(number)
    }
}

#if !os(tvOS) && !os(watchOS)
    extension StoreConformance {
        /// Starts a program that calls ``writeUntilKilled(to:synchronizing:)``, and kills it at a random moment after its first
        /// acknowledged change, with `SIGKILL`.
        ///
        /// Pass it to the suite as the closure `killed:`.
        ///
        /// ```swift
        /// killed: { store in
        ///     try await StoreConformance.runAndKill(writer, [(store as! MyStore).path])
        /// }
        /// ```
        ///
        /// The program must print nothing else to its standard output. No thread of Swift's pool waits for it.
        ///
        /// - Parameters:
        ///   - program: The path of an executable file.
        ///   - arguments: Its arguments, without its name.
        /// - Returns: The number of the change that it acknowledged last.
        /// - Throws: If it cannot be started, or ends without being killed, or acknowledges nothing within 30 seconds.
        public static func runAndKill(_ program: String, _ arguments: [String]) async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    // A file, because another process that is started at the same time may inherit a pipe.
                    let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                    let number = Result { try lastNumber(program, arguments, output) }
                    try? FileManager.default.removeItem(at: output)
                    continuation.resume(with: number)
                }
            }
        }

        private static func lastNumber(_ program: String, _ arguments: [String], _ output: URL) throws -> Int {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
            #else
                var actions = posix_spawn_file_actions_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.path, O_WRONLY | O_CREAT, 0o600)
            var words = ([program] + arguments).map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var process = pid_t()
            let error = posix_spawn(&process, program, &actions, nil, &words, environ)
            try require(error == 0, "\(program) could not be started: error \(error).")
            // A line that is cut off has no line break.
            func lines() -> [Substring] {
                let text = (try? Data(contentsOf: output)).map { String(decoding: $0, as: UTF8.self) } ?? ""
                return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            }
            var status: Int32 = 0
            let end = ContinuousClock.now + .seconds(30)
            while lines().isEmpty, ContinuousClock.now < end {
                let isRunning = waitpid(process, &status, WNOHANG) == 0
                try require(isRunning, "The writer ended by itself.")
                usleep(1_000)
            }
            usleep(.random(in: 0...30_000))
            kill(process, SIGKILL)
            while waitpid(process, &status, 0) == -1 && errno == EINTR {}
            // The low seven bits of the status are the signal.
            try require(status & 0x7F == SIGKILL, "The writer ended by itself.")
            guard let last = lines().last else {
                throw Violation(description: "The writer acknowledged nothing within 30 seconds.")
            }
            guard let number = Int(last) else {
                throw Violation(description: "The writer printed something other than the numbers of its changes.")
            }
            return number
        }
    }
#endif

/// The keys that the killed writer sets.
enum WriterKeys {
    static let single = "killed"
    static let batch = ["killed/a", "killed/b", "killed/c"]

    /// A value that shows by its length and contents whether it is whole.
    static func data(_ number: Int) -> Data {
        Data("\"\(Array(repeating: "\(number)", count: 1 + number % 100).joined(separator: " "))\"".utf8)
    }

    /// The number of the last `set` that is stored; 0 if there is none.
    static func number(in store: any SettingsStore) throws -> Int { try number(of: single, in: store) }

    /// The number that each key of a batch has.
    static func batchNumbers(in store: any SettingsStore) throws -> [Int] {
        try batch.map { try number(of: $0, in: store) }
    }

    private static func number(of name: String, in store: any SettingsStore) throws -> Int {
        guard let stored = try store.get(key(name)) else { return 0 }
        let text = String(decoding: stored, as: UTF8.self)
        let number = Int(text.dropFirst().prefix { $0 != " " && $0 != "\"" })
        guard let number, data(number) == stored else {
            throw Violation(description: "A value that was never set is stored: \(stored.count) bytes.")
        }
        return number
    }

    /// Repeats a failing call for as long as a store may wait for another attempt.
    static func retrying(_ body: () throws -> Void) throws {
        let end = ContinuousClock.now + .seconds(5)
        while true {
            do {
                return try body()
            } catch {
                if ContinuousClock.now > end { throw error }
                usleep(20_000)
            }
        }
    }
}
