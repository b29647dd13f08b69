import Synchronization

/// Listens to one setting.
final class SettingListener: Sendable {
    enum Body: Sendable {
        /// Receives each change, with its values.
        case change(@Sendable (DecodedChange) -> Void)
        /// Receives only the number of each commit that changed the setting, and reads the value itself. The greatest number means
        /// that the value is new, even for a listener that has seen a later commit.
        case signal(@Sendable (UInt64) -> Void)
    }

    let body: Body
    /// The last commit before the listener was added.
    let since: UInt64
    let isActive = Atomic(true)

    init(since: UInt64, body: Body) {
        self.since = since
        self.body = body
    }

    var needsValues: Bool { if case .change = body { true } else { false } }

    func deliver(_ change: @autoclosure () -> DecodedChange?, signal: UInt64) {
        guard isActive.load(ordering: .acquiring) else { return }
        HeldLocks.requireNone(before: "a listener")
        switch body {
        case .change(let deliver): if let change = change() { deliver(change) }
        case .signal(let deliver): deliver(signal)
        }
    }
}
