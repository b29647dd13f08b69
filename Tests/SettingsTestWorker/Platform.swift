import Foundation
import Synchronization

/// The handle with which `dlsym` looks in all images. Nil is `RTLD_DEFAULT` on Linux only.
var anyImage: UnsafeMutableRawPointer? {
    #if canImport(Darwin)
        UnsafeMutableRawPointer(bitPattern: -2)
    #else
        nil
    #endif
}

/// Sets the limit on the size of files that this process writes.
func limitFileSize(_ limit: inout rlimit) {
    #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
        setrlimit(RLIMIT_FSIZE, &limit)
    #endif
}

/// Calls `body`, which ends the process, on a thread that the child of a fork starts.
///
/// On Linux, Swift's `Mutex` takes the thread that has called `fork` for the parent's thread, so that another thread of the
/// child that waits for a mutex of it ends the process. The guides say so, too.
func onThreadOfChild(_ body: @escaping @Sendable () -> Never) -> Never {
    Thread.detachNewThread { body() }
    while true { pause() }
}

/// Counts calls by the thread that makes them.
final class Calls: Sendable {
    let onMainThread = Atomic(0)
    let onOthers = Atomic(0)

    func add() {
        if Thread.isMainThread {
            onMainThread.add(1, ordering: .relaxed)
        } else {
            onOthers.add(1, ordering: .relaxed)
        }
    }
}
