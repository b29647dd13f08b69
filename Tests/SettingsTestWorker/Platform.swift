import Foundation
import Synchronization

/// Calls `fork`, which Swift does not import.
func forkProcess() -> pid_t {
    // RTLD_DEFAULT: all images.
    #if canImport(Darwin)
        let images = UnsafeMutableRawPointer(bitPattern: -2)
    #else
        let images: UnsafeMutableRawPointer? = nil
    #endif
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(images, "fork") else { exit(2) }
    return unsafeBitCast(symbol, to: Fork.self)()
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
