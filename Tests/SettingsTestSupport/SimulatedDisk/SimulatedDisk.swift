import Foundation
import SettingsKitPlatform
import Synchronization

/// A disk in memory that can be full, fail, and lose its power.
///
/// ```swift
/// let disk = SimulatedDisk()
/// let store = try PropertyListStore(path: "/Settings.plist", fileSystem: disk.process())
/// try store.synchronize()
/// disk.powerFailure(seed: 1)
/// let reopened = try PropertyListStore(path: "/Settings.plist", fileSystem: disk.process())  // has the synchronized values
/// ```
///
/// Only flushed writes are certain to survive a power failure: a file's contents after its `fsync`, its name after an `fsync` of its
/// directory. Of all others, any part may survive, in any order: some sectors of one write, the second of two renames. A rename within
/// a directory happens completely or not at all.
///
/// If flushing a file fails, its unflushed writes are lost, as on Linux: they can still be read, but another flush succeeds without
/// making them durable. A directory can be flushed again.
///
/// The disk has what the file stores use, and nothing else: no attributes, no `.` and `..` in paths, no directories that move to another one. All
/// functions may be called from any thread.
package final class SimulatedDisk: Sendable {
    let state: Mutex<DiskState>

    /// Creates an empty disk.
    ///
    /// - Parameter capacity: The greatest number of bytes in all files together; nil for no limit. A write without enough room writes
    ///   what fits, and the next fails with `ENOSPC`. Names take no room.
    package init(capacity: Int? = nil) {
        // The machine's time, because programs compare file times with it.
        state = Mutex(DiskState(capacity: capacity, startingAt: Int64(Date().timeIntervalSince1970)), .leaf)
    }

    init(_ state: DiskState) { self.state = Mutex(state, .leaf) }

    /// Creates a disk with the contents of another, as they are now.
    package convenience init(copyOf disk: SimulatedDisk) { self.init(disk.state.withLock { $0 }) }

    /// Starts a program.
    package func process() -> SimulatedProcess { SimulatedProcess(self) }

    // MARK: Failures

    /// The greatest number of bytes in all files together; nil for no limit. A limit below the present number removes nothing.
    package var capacity: Int? {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// Cuts the power: all programs die, and changes that were not flushed are kept, lost or reordered at random.
    ///
    /// Stores that were opened before fail from now on whenever they use the disk; open new ones.
    ///
    /// - Parameter seed: Decides which changes survive. The same seed has the same effect after the same calls.
    package func powerFailure(seed: UInt64) { state.withLock { $0.failPower(seed: seed) } }

    /// Loses the unflushed writes of a file, as a system that fails to write them in the background. The next flush through each
    /// present opening of the file reports it, and no later one does.
    package func failWriteBack(of path: String) throws {
        try state.withLock { state in state.loseChanges(of: try state.inode(at: path)) }
    }

    // MARK: The world outside the tested program

    /// The bytes of the file at a path; nil if there is none.
    package func contents(of path: String) -> Data? {
        state.withLock { state in
            let inode = (try? state.inode(at: path, followingLink: true)).flatMap { state.inodes[$0] }
            return inode?.kind == .file ? inode.map { Data($0.file.visible.bytes) } : nil
        }
    }

    /// The names in a directory, sorted; an empty list if there is no directory.
    package func names(in directory: String) -> [String] { (try? process().names(inDirectory: directory)) ?? [] }

    /// Writes a file in place, as an editor without atomic saving does, and creates it if it is missing.
    package func write(_ data: Data, to path: String) throws {
        let editor = process()
        // An editor follows links; the library's files are not links.
        let file = try editor.openOrCreate(WholeFile(path: path, fileSystem: editor).resolvedPath()).file
        try editor.truncate(file, to: 0)
        try data.withUnsafeBytes { try editor.write(all: $0, to: file) }
    }

    /// Writes a new file and puts it in place of the old one, as an editor with atomic saving does.
    package func replace(_ path: String, with data: Data) throws {
        try write(data, to: path + "~")
        try process().rename(path + "~", to: path)
    }

    /// Creates a symbolic link.
    package func makeLink(_ path: String, to target: String) throws {
        try state.withLock { state in _ = try state.make(.link, target: target, at: state.place(of: path)) }
    }

    /// Creates a directory, if it is missing.
    package func makeDirectory(_ path: String) throws { try process().createDirectory(path) }

    /// Removes a file.
    package func remove(_ path: String) throws { try process().remove(path) }

    /// Makes everything durable, as the tool `sync` does.
    package func synchronizeAll() {
        state.withLock { state in for number in state.inodes.keys { state.flush(number) } }
    }

    /// The paths of the files that programs have asked a cloud for, in order.
    package var requestedDownloads: [String] { state.withLock { $0.requestedDownloads } }

    /// The number of descriptors that processes have open.
    package var openFileCount: Int { state.withLock { $0.openFiles.count } }

    /// Whether a process has locked the file at a path.
    package func isLocked(_ path: String) -> Bool {
        state.withLock { state in
            (try? state.inode(at: path, followingLink: true)).map { state.locks[$0] != nil } ?? false
        }
    }

    /// Grows with each change of a file or directory.
    package var changeCount: Int64 { state.withLock { $0.now.seconds * 1_000_000_000 + $0.now.nanoseconds } }
}
