import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsSQLite
import Synchronization

/// What the tests of the background have another process do.
enum BackgroundWork {
    private static let key = SettingsService.StorageKey("a", scope: .defaults)

    private static func service(_ store: any SettingsStore) -> SettingsService {
        SettingsService(stores: [.defaults: store], diagnosticSink: .init { say("problem \($0.code.name)") })
    }

    /// Opens one store of each kind in a directory, and `count` property lists more, each with a listener, and does nothing.
    static func idle(_ directory: String, count: Int) throws {
        func url(_ name: String) -> URL { URL(fileURLWithPath: "\(directory)/\(name)") }
        var stores: [any SettingsStore] = [
            try DirectoryStore(at: url("shared"), state: url("shared-state")), try SQLiteStore(at: url("a.sqlite")),
        ]
        for number in 0..<count { stores.append(try PropertyListStore(url: url("\(number).plist"))) }
        let setting = Setting<Int>("a", in: .defaults, default: 0)
        let kept = stores.map { store in
            let service = Self.service(store)
            service.set(setting, to: 1)
            return service.observe(setting) { say("\($0.newValue)") }
        }
        say("idle")
        withExtendedLifetime((stores, kept)) { while true { pause() } }
    }

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
            let store = try PropertyListStore(url: URL(fileURLWithPath: "\(directory)/\(number).plist"))
            try store.set(key, to: Data("2".utf8))
            let database = try SQLiteStore(at: URL(fileURLWithPath: "\(directory)/\(number).sqlite"))
            try database.set(key, to: Data("2".utf8))
        }
        isDone.store(true, ordering: .relaxed)
        hasEnded.wait()
    }

    /// Reads a value, and exits.
    static func read(_ path: String) throws {
        let store = try PropertyListStore(url: URL(fileURLWithPath: path))
        let service = Self.service(store)
        say("\(service.get(Setting<Int>("a", in: .defaults, default: 0)))")
    }

    /// Sets a value in each of `count` property lists, and exits at SIGUSR1.
    static func setAndWait(_ directory: String, count: Int, name: String?) throws {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR1)
        // Before there are other threads, which would get it.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let stores = try (0..<count).map { number in
            try PropertyListStore(url: URL(fileURLWithPath: "\(directory)/\(name ?? "\(number)").plist"))
        }
        for store in stores { try store.set(key, to: Data("2".utf8)) }
        say("set")
        var signal: Int32 = 0
        sigwait(&signals, &signal)
        withExtendedLifetime(stores) { exit(0) }
    }

    /// Opens, uses and closes a property list `count` times; says what it has of the system after a warm-up and at the
    /// end, and how many threads it had at most.
    static func openAndClose(_ path: String, count: Int) throws {
        func round(_ number: Int) throws {
            let store = try PropertyListStore(url: URL(fileURLWithPath: path))
            let service = Self.service(store)
            let setting = Setting<Int>("a", in: .defaults, default: 0)
            let subscription = service.observe(setting) { _ in }
            // Not always: closing a store that was written waits for the disk.
            if number % 10 == 0 { service.update(setting) { $0 += 1 } }
            subscription.cancel()
        }
        for number in 0..<200 { try round(number) }
        sleep(7)
        say(usage())
        var threads = 0
        for number in 0..<count {
            try round(number)
            if number % 50 == 0 { threads = max(threads, entries("/proc/self/task")) }
        }
        // What begins a moment after opening, and threads that wait for more work, end meanwhile: those of Dispatch, which
        // events come from, after five seconds.
        sleep(7)
        say(usage())
        say("\(threads)")
    }

    /// How many threads and descriptors the process has, and its memory in KiB.
    private static func usage() -> String {
        var memory = 0
        do {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            memory = line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        } catch {
            memory = -1
        }
        return "\(entries("/proc/self/task")) \(entries("/proc/self/fd")) \(memory)"
    }

    private static func entries(_ path: String) -> Int {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).count
        } catch {
            return -1
        }
    }
}
