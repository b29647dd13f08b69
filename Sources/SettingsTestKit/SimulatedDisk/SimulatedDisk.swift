import SettingsKitFiles
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A disk in memory that gets full, fails, and loses power when a test wants it to.
///
/// ```swift
/// let disk = SimulatedDisk()
/// let store = try disk.open()
/// disk.failWrites(with: ENOSPC)
/// // Use the app's settings: the values are there, and the diagnostics name what could not be saved.
/// disk.failWrites(with: nil)
/// try store.synchronize()
/// disk.powerFailure(seed: 1)
/// let reopened = try disk.open()  // has what was synchronised
/// ```
///
/// What is written is certain to survive a power failure only when it was synchronised: the contents of a file with
/// `fsync`, its name with an `fsync` of its directory. Of everything else, any part may survive, in any order: the sectors
/// of one write, the second of two renamings. A renaming within a directory is done whole or not at all.
///
/// When synchronising a file fails, what it should have written is as good as lost, as on Linux: it still can be read, but
/// synchronising again succeeds without making it durable. A directory can be synchronised again.
///
/// All functions may be called from any thread.
public final class SimulatedDisk: Sendable {
    let state: Mutex<DiskState>

    /// An empty disk.
    ///
    /// - Parameter capacity: how many bytes the contents of all files may have together; nil for no limit. A write that
    ///   has no room writes what it has room for, the next fails with `ENOSPC`. Names take no room.
    public init(capacity: Int? = nil) {
        // The machine's time, because programs compare the times of files with it.
        state = Mutex(DiskState(capacity: capacity, startingAt: Int64(Date().timeIntervalSince1970)))
    }

    /// How many bytes the contents of all files may have together; nil for no limit. Setting it to less than there is
    /// removes nothing.
    public var capacity: Int? {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// Opens a property list on the disk, as a program of its own would: two stores at one path are two programs that
    /// share a file.
    ///
    /// - Throws: what opening a property list throws: `SettingsError` with the code `storeUnavailable` when there is
    ///   something at the path that cannot be read.
    public func open(_ path: String = "/Settings.plist") throws -> PropertyListStore {
        try PropertyListStore(path: path, fileSystem: process())
    }

    /// Has everything fail that writes, for all programs: writing, truncating, synchronising, and making, linking and
    /// renaming files and directories. Reading and removing still work.
    ///
    /// What a failing synchronisation should have made durable is lost, see above.
    ///
    /// - Parameter number: the error number that they fail with, `ENOSPC`, `EIO` or `EROFS` for example; nil ends it.
    public func failWrites(with number: Int32?) {
        state.withLock { $0.writingError = number }
    }

    /// Cuts the power: all programs die, and what was not synchronised is kept, lost or reordered at random.
    ///
    /// The stores that were opened before fail from now on whenever they touch the disk; open new ones.
    ///
    /// - Parameter seed: decides what survives: after the same calls, the same does with the same seed.
    public func powerFailure(seed: UInt64) {
        state.withLock { $0.failPower(seed: seed) }
    }

    /// Starts a program.
    package func process() -> SimulatedProcess { SimulatedProcess(self) }
}
