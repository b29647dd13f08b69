import Foundation

/// A process that a benchmark starts and waits for: a copy of this program.
struct Child {
    private static let program = CommandLine.arguments[0]

    private let process: pid_t

    /// What a copy of this program does instead, by its first argument of three.
    static func work() throws -> Bool {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { return false }
        switch arguments[1] {
        case Arrival.argument: try Arrival.giveSigns(arguments[2], arguments[3])
        case Contention.argument: try Contention.run(arguments[2], arguments[3])
        case Instructions.argument: try Instructions.run(arguments[2], arguments[3])
        case StartUp.argument: try StartUp.run(arguments[2], arguments[3])
        default: return false
        }
        return true
    }

    /// Starts a copy of this program.
    static func start(_ arguments: String...) -> Child {
        var process = pid_t()
        var pointers: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        let status = posix_spawnp(&process, program, nil, nil, &pointers, environ)
        guard status == 0 else { fatalError("A process cannot be started: \(status).") }
        return Child(process: process)
    }

    /// Returns when the program has ended.
    func wait() {
        var status = Int32(0)
        while waitpid(process, &status, 0) == -1 && errno == EINTR {}
        guard status == 0 else { fatalError("A process failed with status \(status).") }
    }

    /// Nanoseconds of the clock that all processes of a machine share.
    static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
