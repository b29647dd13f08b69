import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// A device with a disk's worth of its own: a shared directory, a local state, and a clock. Files go from one device's
/// directory to another's only when a test carries them.
final class Device: Sendable {
    static let day: Int64 = 86_400_000
    /// 2026-11-21T12:00:00Z.
    static let noon: Int64 = 1_795_262_400_000

    let name: String
    let disk: SimulatedDisk
    private let clock: Clock
    private let opened = Mutex<DirectoryStore?>(nil)
    private let options: DirectoryStore.Options

    private final class Clock: Sendable {
        let time: Mutex<Int64>

        init(_ time: Int64) { self.time = Mutex(time) }
    }

    init(_ name: String, disk: SimulatedDisk = SimulatedDisk(), time: Int64 = noon) throws {
        self.name = name
        self.disk = disk
        clock = Clock(time)
        var options = DirectoryStore.Options()
        options.deviceName = name
        self.options = options
        for path in [directory, state] { try disk.makeDirectory(path) }
    }

    /// Copies a device, with its disk and what its clock shows.
    init(copyOf device: Device) {
        name = device.name
        disk = SimulatedDisk(copyOf: device.disk)
        clock = Clock(device.time)
        options = device.options
    }

    var directory: String { "/\(name)-shared" }
    var state: String { "/\(name)-state" }

    /// What the device's clock shows, in milliseconds since 1970.
    var time: Int64 {
        get { clock.time.withLock { $0 } }
        set { clock.time.withLock { $0 = newValue } }
    }

    /// The store; opened at the first use.
    var store: DirectoryStore {
        get throws {
            if let store = opened.withLock({ $0 }) { return store }
            let store = try process()
            opened.withLock { $0 = store }
            return store
        }
    }

    /// A store of another process.
    func process(_ fileSystem: (any FileSystem)? = nil) throws -> DirectoryStore {
        try DirectoryStore(
            directory: directory, state: state, fileSystem: fileSystem ?? disk.process(), options: options,
            now: { [clock] in clock.time.withLock { $0 } })
    }

    /// What the store of another process is made of.
    func core(_ fileSystem: (any FileSystem)? = nil) throws -> ReplicatedDirectory {
        try ReplicatedDirectory(
            at: DirectoryLocation(directory: directory, state: state), fileSystem: fileSystem ?? disk.process(),
            options: options, isWatching: false, now: { [clock] in clock.time.withLock { $0 } })
    }

    /// Ends the process; the next use of ``store`` is by a new one.
    func restart() { opened.withLock { $0 = nil } }

    var values: [String: String] {
        get throws {
            let store = try store
            var values: [String: String] = [:]
            for name in store.keys() { values[name] = store.get(key(name)).map { String(decoding: $0, as: UTF8.self) } }
            return values
        }
    }

    func set(_ name: String, _ value: String?) throws {
        try store.set(key(name), to: value.map { Data($0.utf8) })
    }

    func value(_ name: String) throws -> String? {
        try store.get(key(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Files

    /// The files in the shared directory, by name.
    var files: [String: Data] {
        var files: [String: Data] = [:]
        for name in disk.names(in: directory) { files[name] = disk.contents(of: directory + "/" + name) }
        return files
    }

    /// The file that the device itself has written.
    var ownFile: (name: String, data: Data) {
        get throws {
            let id = try #require(try store.replicas.first { $0.isOwn }).id
            let name = "Settings-\(id).jsonl"
            return (name, try #require(files[name]))
        }
    }

    func put(_ data: Data, _ name: String) throws { try disk.replace(directory + "/" + name, with: data) }

    func remove(_ name: String) throws { try disk.remove(directory + "/" + name) }

    /// Writes what is new, and carries the own file to others, as a syncer does.
    func send(to others: Device...) throws {
        try store.synchronize()
        let file = try ownFile
        for other in others { try other.put(file.data, file.name) }
    }
}

/// Makes all devices write and read until no file changes.
func settle(_ devices: [Device], sourceLocation: SourceLocation = #_sourceLocation) throws {
    for _ in 0..<2 {
        for device in devices {
            try device.store.synchronize()
            let file = try device.ownFile
            for other in devices where other !== device { try other.put(file.data, file.name) }
        }
        for device in devices { try device.store.synchronize() }
    }
    let expected = try devices[0].values
    for device in devices.dropFirst() {
        #expect(try device.values == expected, "\(device.name)", sourceLocation: sourceLocation)
    }
}
