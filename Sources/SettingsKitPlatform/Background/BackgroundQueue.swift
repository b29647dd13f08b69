/// Runs work in the background, one piece after another, on threads that all queues of the process share.
///
/// No work runs while the process forks. A child made by `fork` does not run the work of its parent's queues.
package final class BackgroundQueue: Sendable {
    package typealias Work = @Sendable () -> Void

    private let forks = Fork.count

    /// Creates a queue. It costs nothing until it is used.
    package init() {}

    /// Whether work is run: false in the child of a fork, which has none of the threads.
    package var isRunning: Bool { forks == Fork.count }

    /// Runs work soon.
    package func async(_ work: @escaping Work) {
        guard isRunning else { return }
        BackgroundThreads.shared.add(work, to: self)
    }

    /// Runs work after a delay.
    package func async(after delay: Duration, _ work: @escaping Work) { async(at: .exact(after: delay), work) }

    func async(at moment: Deadline, _ work: @escaping Work) {
        guard isRunning else { return }
        BackgroundThreads.shared.add(work, to: self, at: moment)
    }
}
