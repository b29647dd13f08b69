import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsSQLite
import Synchronization

/// What the tests of the background have another process do.
enum BackgroundWork {
    private static let key = SettingsService.StorageKey("a", scope: .defaults)

    /// Prints all the time while standard input, output and error are closed, again and again, and stores are opened.
    static func printWhileClosed(_ directory: String, count: Int) throws {
        let isDone = Atomic(false)
        let hasEnded = DispatchSemaphore(value: 0)
        for descriptor in STDIN_FILENO...STDERR_FILENO { close(descriptor) }
        Thread.detachNewThread {
            let line = Array("a line of the program\n".utf8)
            while !isDone.load(ordering: .relaxed) {
                for descriptor in STDIN_FILENO...STDERR_FILENO where write(descriptor, line, line.count) != -1 {
                    exit(7)
                }
            }
            hasEnded.signal()
        }
        for number in 0..<count {
            for descriptor in STDIN_FILENO...STDERR_FILENO { close(descriptor) }
            let store = try propertyList(at: "\(directory)/\(number).plist")
            try store.set(key, to: Data("2".utf8))
            let database = try SQLiteStore(at: URL(fileURLWithPath: "\(directory)/\(number).sqlite"))
            try database.set(key, to: Data("2".utf8))
        }
        isDone.store(true, ordering: .relaxed)
        hasEnded.wait()
    }

    /// Sets a value in each of `count` property lists, and exits at SIGUSR1.
    static func setAndWait(_ directory: String, count: Int) throws {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR1)
        // Before there are other threads, which would get it.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let stores = try (0..<count).map { try propertyList(at: "\(directory)/\($0).plist") }
        for store in stores { try store.set(key, to: Data("2".utf8)) }
        say("set")
        var signal: Int32 = 0
        sigwait(&signals, &signal)
        withExtendedLifetime(stores) { exit(0) }
    }

    /// Opens, uses and closes a property list `count` times; says what it has of the system after a warm-up and at the
    /// end, and how many threads it had at most.
    static func openAndClose(_ path: String, count: Int) throws {
        func round(_ index: Int) throws {
            let service = service(over: try propertyList(at: path))
            let subscription = service.observe(number("a")) { _ in }
            // Not always: closing a store that was written waits for the disk.
            if index % 10 == 0 { service.update(number("a")) { $0 += 1 } }
            subscription.cancel()
        }
        for number in 0..<200 { try round(number) }
        sleep(20)
        say(try usage())
        let present = try entries("/proc/self/task")
        var threads = 0
        for number in 0..<count {
            try round(number)
            if number % 50 == 0 { threads = max(threads, try entries("/proc/self/task")) }
        }
        // Threads of Dispatch end after five seconds without work. The last work is a round, in which no monitor is left.
        for _ in 0..<40 where try entries("/proc/self/task") > present { sleep(1) }
        say(try usage())
        say("\(threads)")
    }

    /// How many threads and descriptors the process has, and its memory in KiB.
    private static func usage() throws -> String {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let memory = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.filter(\.isNumber) ?? "0"
        return "\(try entries("/proc/self/task")) \(try entries("/proc/self/fd")) \(memory)"
    }

    private static func entries(_ path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: path).count
    }
}
