import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The machine's file system or a simulated one, with calls that fail when a test asks for it.
package final class FaultyFileSystem: FileSystem {
    package enum Call: String, Sendable, CaseIterable {
        case status, statusOfFile, destination, openForReading, create, read, write, synchronize, synchronizeDirectory
        case rename, link, remove, createDirectory, names
        case openForAppending, openForOverwriting, readAt, truncate, lock, changePermissions

        package var isWriting: Bool {
            switch self {
            case .create, .write, .rename, .link, .remove, .createDirectory: true
            default: false
            }
        }
    }

    package enum Fault: Sendable, Equatable {
        case none
        /// The n-th call from now fails, once.
        case once(Int, errno: Int32)
        /// Calls of these kinds fail.
        case calls(Set<Call>, errno: Int32)
        /// Calls that would change something in a directory fail.
        case writing(in: String, errno: Int32)
    }

    private struct State {
        var fault = Fault.none
        var count = 0
        var calls: [Call] = []
        var failures: [Call] = []
        var coordinated: [(access: CoordinatedAccess, path: String)] = []
        var hook: (@Sendable (Call) -> Void)?
    }

    private let system: any FileSystem
    private let isSimulated: Bool
    /// Whether the volume is known to be local.
    package let isLocal = Box(true)
    private let state = Mutex(State())

    package init() { (system, isSimulated) = (POSIXFileSystem(), false) }

    /// Creates a file system whose calls go to a simulated disk.
    package init(over process: SimulatedProcess) { (system, isSimulated) = (process, true) }

    /// The error of a full disk.
    package static let noRoom = ENOSPC

    /// The calls since the fault was last set.
    package var calls: [Call] { state.withLock { $0.calls } }

    /// Those of the calls that the fault made fail.
    package var failures: [Call] { state.withLock { $0.failures } }

    /// The accesses that take turns with a cloud.
    package var coordinated: [(access: CoordinatedAccess, path: String)] { state.withLock { $0.coordinated } }

    package func set(_ fault: Fault) {
        state.withLock { state in
            state.fault = fault
            state.count = 0
            state.calls = []
            state.failures = []
        }
    }

    /// Calls `hook` after each call that went well.
    package func after(_ hook: @escaping @Sendable (Call) -> Void) { state.withLock { $0.hook = hook } }

    private func perform<R>(_ call: Call, _ path: String, _ body: () throws -> R) throws(SystemError) -> R {
        let number: Int32? = state.withLock { state in
            defer { state.count += 1 }
            state.calls.append(call)
            switch state.fault {
            case .once(let index, let number) where index == state.count: return number
            case .calls(let calls, let number) where calls.contains(call): return number
            case .writing(let directory, let number) where call.isWriting && path.hasPrefix(directory): return number
            default: return nil
            }
        }
        if let number {
            state.withLock { $0.failures.append(call) }
            throw SystemError(call: call.rawValue, path: path, number: number)
        }
        let result: R
        do { result = try body() } catch {
            throw error as? SystemError ?? SystemError(call: call.rawValue, path: path, number: EIO)
        }
        // The hook does what another process may do at this moment.
        if let hook = state.withLock({ $0.hook }) { HeldLocks.excepting { hook(call) } }
        return result
    }

    package func status(of path: String, followingLink: Bool) throws(SystemError) -> FileStatus? {
        try perform(.status, path) { try system.status(of: path, followingLink: followingLink) }
    }

    package func status(of file: FileHandle) throws(SystemError) -> FileStatus {
        try perform(.statusOfFile, file.path) { try system.status(of: file) }
    }

    package func extent(of file: FileHandle) throws(SystemError) -> FileExtent {
        try perform(.statusOfFile, file.path) { try system.extent(of: file) }
    }

    package func destination(ofLink path: String) throws(SystemError) -> String {
        try perform(.destination, path) { try system.destination(ofLink: path) }
    }

    package func openForReading(_ path: String, followingLink: Bool) throws(SystemError) -> FileHandle {
        try perform(.openForReading, path) { try system.openForReading(path, followingLink: followingLink) }
    }

    package func create(_ path: String) throws(SystemError) -> FileHandle {
        try perform(.create, path) { try system.create(path) }
    }

    package func openForAppending(_ path: String) throws(SystemError) -> FileHandle {
        try perform(.openForAppending, path) { try system.openForAppending(path) }
    }

    package func openForOverwriting(_ path: String) throws(SystemError) -> FileHandle {
        try perform(.openForOverwriting, path) { try system.openForOverwriting(path) }
    }

    package func read(_ file: FileHandle, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try perform(.read, file.path) { try system.read(file, into: buffer) }
    }

    package func read(
        _ file: FileHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try perform(.readAt, file.path) { try system.read(file, at: offset, into: buffer) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, to file: FileHandle) throws(SystemError) -> Int {
        try perform(.write, file.path) { try system.write(bytes, to: file) }
    }

    package func truncate(_ file: FileHandle, to size: Int64) throws(SystemError) {
        try perform(.truncate, file.path) { try system.truncate(file, to: size) }
    }

    package func changeOwner(of file: FileHandle, to owner: UInt32) throws(SystemError) -> Bool {
        try perform(.changePermissions, file.path) { try system.changeOwner(of: file, to: owner) }
    }

    package func changeGroup(of file: FileHandle, to group: UInt32) throws(SystemError) -> Bool {
        try perform(.changePermissions, file.path) { try system.changeGroup(of: file, to: group) }
    }

    package func changeMode(of file: FileHandle, to mode: UInt16) throws(SystemError) {
        try perform(.changePermissions, file.path) { try system.changeMode(of: file, to: mode) }
    }

    package func lock(_ file: FileHandle) throws(SystemError) -> Bool {
        try perform(.lock, file.path) { try system.lock(file) }
    }

    // On the machine's disk, nothing is about the power failing, and waiting for the disk takes nearly all of the time.

    package func synchronize(_ file: FileHandle) throws(SystemError) {
        try perform(.synchronize, file.path) { if isSimulated { try system.synchronize(file) } }
    }

    package func synchronizeDirectory(_ path: String) throws(SystemError) {
        try perform(.synchronizeDirectory, path) { if isSimulated { try system.synchronizeDirectory(path) } }
    }

    package func rename(_ path: String, to newPath: String) throws(SystemError) {
        try perform(.rename, newPath) { try system.rename(path, to: newPath) }
    }

    package func link(_ path: String, as newPath: String) throws(SystemError) {
        try perform(.link, newPath) { try system.link(path, as: newPath) }
    }

    package func remove(_ path: String) throws(SystemError) {
        try perform(.remove, path) { try system.remove(path) }
    }

    package func createDirectory(_ path: String) throws(SystemError) -> Bool {
        try perform(.createDirectory, path) { try system.createDirectory(path) }
    }

    package func names(inDirectory path: String) throws(SystemError) -> [String] {
        try perform(.names, path) { try system.names(inDirectory: path) }
    }

    package func coordinate(_ access: CoordinatedAccess, of path: String, _ body: () -> Void) {
        state.withLock { $0.coordinated.append((access, path)) }
        body()
    }

    // These do not fail: a descriptor is closed, and a lock released, whatever else happens.

    package func close(_ file: FileHandle) { system.close(file) }

    package func unlock(_ file: FileHandle) { system.unlock(file) }

    package var user: UInt32 { system.user }

    package func room(beside file: FileHandle) -> Int64? { system.room(beside: file) }

    package func isLocal(_ path: String) -> Bool { isLocal.value }

    package func requestDownload(of path: String) { system.requestDownload(of: path) }

    /// Affects only watchers, of which there are none.
    package func touch(_ path: String) {}
}
