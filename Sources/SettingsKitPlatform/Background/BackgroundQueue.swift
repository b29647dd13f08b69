/// Runs work in the background, one piece after another, on threads that all queues of the process share.
package final class BackgroundQueue: Sendable {
    package typealias Work = @Sendable () -> Void

    /// Creates a queue. It costs nothing until it is used.
    package init() {}

    /// Runs work soon.
    package func async(_ work: @escaping Work) { BackgroundThreads.shared.add(work, to: self) }

    /// Runs work after a delay.
    package func async(after delay: Duration, _ work: @escaping Work) { async(at: .exact(after: delay), work) }

    func async(at moment: Deadline, _ work: @escaping Work) {
        BackgroundThreads.shared.add(work, to: self, at: moment)
    }
}
