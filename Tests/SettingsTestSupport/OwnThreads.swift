import Foundation
import Testing

extension Trait where Self == OwnThreads {
    /// Runs tests on threads outside of Swift's pool.
    ///
    /// The pool has as many threads as there are processors. A test that computes for long, or blocks, keeps one of them, and
    /// every `await` of every other test waits for it. With this trait the system divides the processors' time.
    package static var ownThreads: Self { OwnThreads() }
}

/// The trait ``ownThreads``.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
    }
}

/// Starts a thread for each task that has something to run while all other threads are busy. Idle threads stay.
private final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    private struct State {
        var jobs: [UnownedJob] = []
        var idleThreadCount = 0
    }

    private let state = Mutex(State())
    /// Signaled once for each idle thread that was promised a job.
    private let promises = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let hasIdleThread = state.withLock { state in
            state.jobs.append(job)
            guard state.idleThreadCount > 0 else { return false }
            state.idleThreadCount -= 1
            return true
        }
        if hasIdleThread {
            promises.signal()
        } else {
            Thread.detachNewThread { self.runJobs() }
        }
    }

    private func runJobs() {
        while true {
            // As many threads come here as there are jobs.
            state.withLock { $0.jobs.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
            state.withLock { $0.idleThreadCount += 1 }
            promises.wait()
        }
    }
}
