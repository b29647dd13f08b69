import SettingsKitPlatform
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One running program's view of a ``SimulatedDisk``.
///
/// It answers as POSIX has a file system answer, with the same error numbers, and fails and dies when it is told to. All
/// functions may be called from any thread. Letting go of the object ends the process, too.
package final class SimulatedProcess: FileSystem, Sendable {
    /// What goes wrong. Calls are counted from the last ``set(_:)`` on, beginning with 0: `once(0, errno: EIO)` is about
    /// the next one.
    ///
    /// Counted is every call that can throw, also those that a dead process makes: not `close` and `unlock`.
    package enum Fault: Sendable, Equatable {
        case none
        /// This call fails without an effect.
        case once(Int, errno: Int32)
        /// This call and all later ones fail without an effect.
        case from(Int, errno: Int32)
        /// Every read and write moves at most seven bytes.
        case short
        /// The process dies as it makes this call: this one and all later ones have no effect and throw `EIO`. Its
        /// descriptors are closed, its locks are free, and what it has written is there.
        case death(Int)
        /// The process dies when this call has taken effect, before it hears about it.
        case deathAfter(Int)
        /// The process dies in the middle of this call: of a write, half of the bytes are written; of anything else,
        /// nothing is done.
        case partialDeath(Int)
    }

    private let disk: SimulatedDisk
    private let number: Int

    init(_ disk: SimulatedDisk) {
        self.disk = disk
        number = disk.state.withLock { $0.addProcess() }
    }

    deinit {
        disk.state.withLock { state in
            state.kill(number)
            state.processes[number] = nil
        }
    }

    /// Lets something go wrong, in the place of what was to go wrong before, and counts calls anew. It does not bring a
    /// dead process back.
    package func set(_ fault: Fault) {
        disk.state.withLock { $0.processes[number]?.set(fault) }
    }

    /// How many calls that can throw there were since the fault was last set.
    package var callCount: Int {
        disk.state.withLock { $0.processes[number]?.count ?? 0 }
    }

    /// Whether the process has died, of a fault, of ``kill()`` or of a power failure.
    package var isDead: Bool {
        disk.state.withLock { $0.processes[number]?.isDead ?? true }
    }

    /// Ends the process between two calls.
    package func kill() {
        disk.state.withLock { $0.kill(number) }
    }

    // A descriptor is given back and a lock is freed whatever else happens.

    package func close(_ file: FileHandle) {
        disk.state.withLock { $0.close(file.descriptor, of: number) }
    }

    package func unlock(_ file: FileHandle) {
        disk.state.withLock { $0.unlock(file.descriptor, of: number) }
    }

    // MARK: Making calls

    /// What is to know about a call before it is made.
    struct Call {
        var name: String
        var path: String
        /// Whether half of it can be done.
        var isWrite = false
        /// The descriptor whose unsynchronised bytes are lost if it fails by a fault.
        var synchronized: Int32?
    }

    /// Makes a call, unless a fault has it fail.
    func perform<R: Sendable>(
        _ call: Call, _ body: (inout DiskState, ProcessState.Portion, Int) throws(DiskFailure) -> R
    ) throws(SystemError) -> R {
        do throws(DiskFailure) {
            return try disk.state.withLock { (state) throws(DiskFailure) in
                let verdict = state.processes[number]?.verdict(isWrite: call.isWrite) ?? .fails(EIO)
                switch verdict {
                case .proceeds(let portion):
                    return try body(&state, portion, number)
                case .fails(let error):
                    if let descriptor = call.synchronized { state.loseChanges(descriptor, of: number) }
                    throw DiskFailure(error)
                case .dies:
                    break
                case .diesAfterwards(let portion):
                    // The process does not live to see whether it went well.
                    do throws(DiskFailure) { _ = try body(&state, portion, number) } catch {}
                }
                state.kill(number)
                throw DiskFailure(EIO)
            }
        } catch {
            throw SystemError(call: call.name, path: call.path, number: error.number)
        }
    }
}
