import Foundation

/// Runs `body` on as many new threads at once, and returns when all have ended.
///
/// `DispatchQueue.concurrentPerform` is not enough: it runs no more at a time than there are processors, so that on a
/// small machine the readers would begin when the writers have ended.
package func inParallel(_ count: Int, _ body: @Sendable (Int) -> Void) {
    withoutActuallyEscaping(body) { body in
        // The threads may end a little later than `wait`, so what they hold is the box, and not the body.
        let box = Box<(@Sendable (Int) -> Void)?>(body)
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                run(box, number)
                group.leave()
            }
        }
        group.wait()
        box.value = nil
    }
}

private func run(_ box: Box<(@Sendable (Int) -> Void)?>, _ number: Int) {
    box.value?(number)
}

/// Runs `body` on another thread, and returns when it has ended.
package func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    inParallel(1) { _ in body() }
}

/// Runs `body` on a new thread, and does not wait for it.
///
/// - Returns: What receives, when the thread ends, whether `body` has thrown nothing.
package func onThread(_ body: @escaping @Sendable () throws -> Void) -> Recorder<Bool> {
    let outcome = Recorder<Bool>()
    Thread.detachNewThread {
        do {
            try body()
            outcome.append(true)
        } catch {
            outcome.append(false)
        }
    }
    return outcome
}
