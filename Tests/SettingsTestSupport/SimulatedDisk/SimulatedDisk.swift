import SettingsKitFiles
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A disk in memory that can be full, fail, and lose its power, for tests.
///
/// ```swift
/// let disk = SimulatedDisk()
/// let store = try disk.open()
/// disk.failWrites(with: ENOSPC)
/// // Use the app's settings: the values are there, and the diagnostics name those that could not be saved.
/// disk.failWrites(with: nil)
/// try store.synchronize()
/// disk.powerFailure(seed: 1)
/// let reopened = try disk.open()  // has the synchronized values
/// ```
///
/// Only synchronized writes are certain to survive a power failure: a file's contents after its `fsync`, its name after an
/// `fsync` of its directory. Of all others, any part may survive, in any order: some sectors of one write, the second of two
/// renames. A rename within a directory happens completely or not at all.
///
/// If synchronizing a file fails, its unsynchronized writes are lost, as on Linux: they can still be read, but another
/// synchronization succeeds without making them durable. A directory can be synchronized again.
///
/// All functions may be called from any thread.
package final class SimulatedDisk: Sendable {
    let state: Mutex<DiskState>

    /// Creates an empty disk.
    ///
    /// - Parameter capacity: The greatest number of bytes in all files together; nil for no limit. A write without
    ///   enough room writes what fits, and the next fails with `ENOSPC`. Names take no room.
    package init(capacity: Int? = nil) {
        // The machine's time, because programs compare file times with it.
        state = Mutex(DiskState(capacity: capacity, startingAt: Int64(Date().timeIntervalSince1970)), .leaf)
    }

    init(_ state: DiskState) { self.state = Mutex(state, .leaf) }

    /// Creates a disk with the contents of another, as they are now.
    package convenience init(copyOf disk: SimulatedDisk) { self.init(disk.state.withLock { $0 }) }

    /// The greatest number of bytes in all files together; nil for no limit. A limit below the present number removes
    /// nothing.
    package var capacity: Int? {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// Opens a property list on the disk, as a separate program would: two stores at one path are two programs that
    /// share a file.
    ///
    /// - Throws: the errors of opening a property list: `SettingsError` with the code `storeUnavailable` if the file at
    ///   the path cannot be read.
    package func open(_ path: String = "/Settings.plist") throws -> PropertyListStore {
        try PropertyListStore(path: path, fileSystem: process())
    }

    /// Makes every call fail that writes, for all programs: writing, truncating, synchronizing, and creating, linking and
    /// renaming files and directories. Reading and removing still work.
    ///
    /// Writes that a failing synchronization should have made durable are lost; see above.
    ///
    /// - Parameter number: The error number, for example `ENOSPC`, `EIO` or `EROFS`; nil ends the failures.
    package func failWrites(with number: Int32?) {
        state.withLock { $0.writingError = number }
    }

    /// Cuts the power: all programs die, and changes that were not synchronized are kept, lost or reordered at random.
    ///
    /// Stores that were opened before fail from now on whenever they use the disk; open new ones.
    ///
    /// - Parameter seed: Decides which changes survive. The same seed has the same effect after the same calls.
    package func powerFailure(seed: UInt64) {
        state.withLock { $0.failPower(seed: seed) }
    }

    /// Loses the unsynchronized writes of a file, as a system that fails to write them in the background. The next
    /// synchronization through each present opening of the file reports it, and no later one does.
    package func failWriteBack(of path: String) throws {
        try state.withLock { state throws(DiskFailure) in try state.failWriteBack(of: path) }
    }

    /// Starts a program.
    package func process() -> SimulatedProcess { SimulatedProcess(self) }
}
