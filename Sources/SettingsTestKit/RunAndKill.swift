#if !os(tvOS) && !os(watchOS)
    import Dispatch

    #if canImport(Glibc)
        import Glibc
    #else
        import Darwin
    #endif

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
                    continuation.resume(with: Result { try KilledWriter(program, arguments).run() })
                }
            }
        }
    }

    /// A process that writes until it is killed, and the pipe that it prints to.
    private struct KilledWriter {
        private let process: pid_t
        private let output: Int32

        init(_ program: String, _ arguments: [String]) throws {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw Failure(description: "No pipe could be made: error \(errno).") }
            defer { close(ends[1]) }
            // Other processes that are started at the same time must not inherit the pipe.
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
            #else
                var actions = posix_spawn_file_actions_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
            var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var process = pid_t()
            let status = posix_spawn(&process, program, &actions, nil, &words, environ)
            guard status == 0 else {
                close(ends[0])
                throw Failure(description: "\(program) could not be started: error \(status).")
            }
            (self.process, output) = (process, ends[0])
        }

        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        func run() throws -> Int {
            defer { close(output) }
            var text: [UInt8] = []
            let wanted = Int.random(in: 1...60)
            let end = ContinuousClock.now + .seconds(30)
            var isOpen = true
            while isOpen, text.count(where: { $0 == UInt8(ascii: "\n") }) < wanted, ContinuousClock.now < end {
                isOpen = readOutput(into: &text, waiting: 100)
            }
            usleep(.random(in: 0...2_000))
            kill(process, SIGKILL)
            var status: Int32 = 0
            while waitpid(process, &status, 0) == -1 && errno == EINTR {}
            // Reads the rest of the output without waiting: another process may have inherited the pipe.
            while readOutput(into: &text, waiting: 0) {}
            // The low seven bits of the status are the signal.
            guard status & 0x7F == SIGKILL else {
                throw Failure(description: "The writer ended by itself, with the status \((status >> 8) & 0xFF).")
            }
            // A line that is cut off has no line break.
            let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            guard let last = lines.last else {
                throw Failure(description: "The writer acknowledged nothing within 30 seconds.")
            }
            guard let number = Int(String(decoding: last, as: UTF8.self)) else {
                throw Failure(description: "The writer printed something other than the numbers of its changes.")
            }
            return number
        }

        /// Appends the process's output to a text.
        ///
        /// - Returns: Whether output was read or may follow: false at the end, and if nothing is available without waiting.
        private func readOutput(into text: inout [UInt8], waiting milliseconds: Int32) -> Bool {
            var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, milliseconds) > 0 else { return milliseconds > 0 }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { return false }
            text += buffer.prefix(count)
            return true
        }
    }
#endif
