import SettingsKitPlatform
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A running program's view of a ``SimulatedDisk``.
///
/// It behaves as POSIX requires of a file system, with the same error numbers. Tests make it fail and die. All functions may be
/// called from any thread. Releasing the object also ends the process.
package final class SimulatedProcess: FileSystem, Sendable {
    /// A fault of the process. Calls are counted from the last ``set(_:)``, beginning with 0: `once(0, errno: EIO)`
    /// concerns the next one.
    ///
    /// Every call that can throw counts, also those of a dead process: not `close` and `unlock`.
    package enum Fault: Sendable, Equatable {
        case none
        /// This call fails without an effect.
        case once(Int, errno: Int32)
        /// This call and all later ones fail without an effect.
        case from(Int, errno: Int32)
        /// Every read and write moves at most seven bytes.
        case short
        /// The process dies as it makes this call: this one and all later ones have no effect and throw `EIO`. Its
        /// descriptors are closed, its locks are released, and its earlier writes stay.
        case death(Int)
        /// The process dies when this call has taken effect, before it returns.
        case deathAfter(Int)
        /// The process dies in the middle of this call: of a write, half of the bytes are written; other calls have no
        /// effect.
        case partialDeath(Int)
    }

    private let disk: SimulatedDisk
    private let number: Int
    private let hook = Mutex<(@Sendable (_ name: String, _ path: String) -> Void)?>(nil, .leaf)

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

    /// Sets a fault, in place of an earlier one, and begins to count calls again. It does not revive a dead process.
    package func set(_ fault: Fault) {
        disk.state.withLock { $0.processes[number]?.set(fault) }
    }

    /// The number of calls that can throw since the fault was last set.
    package var callCount: Int {
        disk.state.withLock { $0.processes[number]?.count ?? 0 }
    }

    /// Whether the process has died, by a fault, by ``kill()`` or by a power failure.
    package var isDead: Bool {
        disk.state.withLock { $0.processes[number]?.isDead ?? true }
    }

    /// Ends the process between two calls.
    package func kill() {
        disk.state.withLock { $0.kill(number) }
    }

    /// Calls `hook` before each call that another process can notice, on the thread that makes it, so that a test can decide when
    /// it is made. `close` is not among them: a program unlocks a file before it closes it.
    ///
    /// - Parameter hook: Receives the name of the system's call, or `unlock`, and its path.
    package func beforeEachCall(_ hook: (@Sendable (_ name: String, _ path: String) -> Void)?) {
        self.hook.withLock { $0 = hook }
    }

    private func announce(_ name: String, _ path: String) {
        if let hook = hook.withLock({ $0 }) { hook(name, path) }
    }

    // Descriptors are closed and locks released even without an error.

    package func close(_ file: FileHandle) {
        disk.state.withLock { $0.close(file.descriptor, of: number) }
    }

    package func unlock(_ file: FileHandle) {
        announce("unlock", file.path)
        disk.state.withLock { $0.unlock(file.descriptor, of: number) }
    }

    // MARK: Making calls

    /// Makes a call that does not throw, and is not counted.
    ///
    /// - Returns: nil if it fails, and if the process is dead.
    func uncounted<R: Sendable>(_ body: (inout DiskState, Int) throws(DiskFailure) -> R) -> R? {
        disk.state.withLock { state in
            if state.processes[number]?.isDead ?? true { return nil }
            do throws(DiskFailure) { return try body(&state, number) } catch { return nil }
        }
    }

    /// The properties of a call that decide its outcome.
    struct Call {
        var name: String
        var path: String
        /// Whether half of it can be done.
        var isWrite = false
        /// The descriptor whose unsynchronized bytes are lost if the call fails by a fault.
        var synchronized: Int32?
    }

    /// Makes a call, unless a fault makes it fail.
    func perform<R: Sendable>(
        _ call: Call, _ body: (inout DiskState, ProcessState.Portion, Int) throws(DiskFailure) -> R
    ) throws(SystemError) -> R {
        announce(call.name, call.path)
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
                    // The process dies before it learns the result.
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
