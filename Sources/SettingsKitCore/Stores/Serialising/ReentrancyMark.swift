import Synchronization

/// Marks the code that runs inside a store's lock, so that a write from there does not wait for that lock again.
final class ReentrancyMark: Sendable {
    @TaskLocal private static var current: ReentrancyMark?

    private let owner: ObjectIdentifier
    private let task: Int?
    private let outer: ReentrancyMark?
    /// Tasks that the store begins inherit the mark, and may outlast it.
    private let isValid = Atomic(true)

    private init(owner: ObjectIdentifier) {
        self.owner = owner
        task = Self.currentTask
        outer = Self.current
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// Whether the caller runs inside `owner`'s lock: in the same task, or outside of any task on the same thread.
    static func isInside(_ owner: AnyObject) -> Bool {
        guard var mark = current else { return false }
        let (identifier, task) = (ObjectIdentifier(owner), currentTask)
        while true {
            if mark.owner == identifier, mark.task == task, mark.isValid.load(ordering: .acquiring) { return true }
            guard let outer = mark.outer else { return false }
            mark = outer
        }
    }

    /// Runs `body`, which holds `owner`'s lock, with the mark set.
    static func inside<R>(_ owner: AnyObject, _ body: () throws -> R) rethrows -> R {
        let mark = ReentrancyMark(owner: ObjectIdentifier(owner))
        defer { mark.isValid.store(false, ordering: .releasing) }
        return try $current.withValue(mark, operation: body)
    }
}
