import Synchronization

/// Marks the code that runs inside a serializing store's lock.
///
/// A write from this code does not wait for that lock again, and no listener runs before the lock is released.
final class ReentrancyMark: Sendable {
    @TaskLocal static var current: ReentrancyMark?

    private let owner: ObjectIdentifier
    private let task: Int?
    /// The mark of the surrounding lock. Nil in another task, which is not inside that lock: tasks that a store starts inherit the
    /// current mark, and each could start another one.
    private let outer: ReentrancyMark?
    /// The observers that wait until the lock is released; nil from then on. A task can outlive the mark that it inherited.
    private let waiting = Mutex<[any LockObserver]?>([], .leaf)

    private init(owner: AnyObject) {
        self.owner = ObjectIdentifier(owner)
        task = Self.currentTask
        outer = Self.innermost
    }

    static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// The innermost lock that the caller is inside: in the same task, or outside of any task on the same thread.
    private static var innermost: ReentrancyMark? {
        guard let current, current.task == currentTask, current.waiting.withLock({ $0 != nil }) else { return nil }
        return current
    }

    /// Returns whether the caller runs inside `owner`'s lock.
    static func isInside(_ owner: AnyObject) -> Bool {
        var mark = innermost
        while let inner = mark {
            if inner.owner == ObjectIdentifier(owner) { return true }
            mark = inner.outer
        }
        return false
    }

    /// Calls an observer when the lock that the caller is inside is released.
    ///
    /// - Returns: False if the caller is inside no lock.
    static func postpone(_ observer: any LockObserver) -> Bool {
        guard let mark = innermost else { return false }
        mark.waiting.withLock { observers in
            if observers?.contains(where: { $0 === observer }) == false { observers?.append(observer) }
        }
        return true
    }

    /// Runs `body` inside the lock of `owner`, and then calls the observers that have waited. Inside another lock, they wait for
    /// that one.
    static func run<R: Sendable>(
        inside lock: borrowing Mutex<Void>, of owner: AnyObject, _ body: () throws -> R
    ) rethrows -> R {
        let mark = ReentrancyMark(owner: owner)
        defer {
            let observers = mark.waiting.withLock { observers in
                defer { observers = nil }
                return observers ?? []
            }
            for observer in observers { observer.storeDidReleaseLock() }
        }
        return try lock.withLock { _ in try $current.withValue(mark, operation: body) }
    }
}

/// Runs code outside of a store's lock that must not run inside it.
protocol LockObserver: AnyObject, Sendable {
    func storeDidReleaseLock()
}
