/// Marks the code that decodes and validates a setting's bytes. If that code reads the setting itself, it gets what is in force, and
/// does not judge again.
final class Judgment: Sendable {
    @TaskLocal private static var current: Judgment?

    private let setting: ObjectIdentifier
    private let outer: Judgment?
    /// Tasks that the code starts inherit the mark, and are not inside.
    private let task = ReentrancyMark.currentTask

    private init(by setting: AnyObject) { (self.setting, outer) = (ObjectIdentifier(setting), Self.current) }

    /// Returns whether the caller is the code of a setting.
    static func isMade(by setting: AnyObject) -> Bool {
        var mark = current
        while let judgment = mark {
            if judgment.setting == ObjectIdentifier(setting), judgment.task == ReentrancyMark.currentTask {
                return true
            }
            mark = judgment.outer
        }
        return false
    }

    /// Runs the code of a setting.
    static func make<R>(by setting: AnyObject, _ body: () -> R) -> R {
        $current.withValue(Judgment(by: setting), operation: body)
    }
}
