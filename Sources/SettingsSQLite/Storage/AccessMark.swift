import SettingsCore
import Synchronization

/// What a task is in the middle of: a task that waits for its own access to end would wait for ever.
final class AccessMark: Sendable {
    @TaskLocal static var current: AccessMark?

    private let pool: LanePool
    private let task: Int?
    private let outer: AccessMark?
    private let isActive = Atomic(true)

    init(_ pool: LanePool) {
        self.pool = pool
        outer = Self.current
        task = Self.presentTask
    }

    func end() { isActive.store(false, ordering: .releasing) }

    /// Whether the present task is inside of an access to a pool. (Tasks that it has made inherit the mark, and are others.)
    static func isInside(_ pool: LanePool) -> Bool {
        var mark = current
        while let present = mark {
            let isHere = present.pool === pool && present.isActive.load(ordering: .acquiring)
            if isHere && present.task == presentTask { return true }
            mark = present.outer
        }
        return false
    }

    private static var presentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
