import SettingsCore
import Synchronization

/// What a task is in the middle of: a task that waits for its own access to end would wait for ever.
final class AccessMark: Sendable {
    @TaskLocal static var current: AccessMark?

    // No reference: a task that was made inside of an access may live longer than the storage should.
    private let pool: ObjectIdentifier
    private let task: Int?
    private let outer: AccessMark?
    private let isActive = Atomic(true)

    init(_ pool: LanePool) {
        self.pool = ObjectIdentifier(pool)
        // Without those that have ended, or tasks that make each other would drag along a chain of them.
        outer = Self.current?.firstActive
        task = Self.presentTask
    }

    func end() { isActive.store(false, ordering: .releasing) }

    private var firstActive: AccessMark? {
        var mark: AccessMark? = self
        while let present = mark, !present.isActive.load(ordering: .acquiring) { mark = present.outer }
        return mark
    }

    /// Whether the present task is inside of an access to a pool. (Tasks that it has made inherit the mark, and are others.)
    static func isInside(_ pool: LanePool) -> Bool {
        var mark = current
        while let present = mark {
            let isHere = present.pool == ObjectIdentifier(pool) && present.isActive.load(ordering: .acquiring)
            if isHere && present.task == presentTask { return true }
            mark = present.outer
        }
        return false
    }

    private static var presentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
