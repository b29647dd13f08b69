import SettingsKitCore

extension PendingWrites.System {
    /// A queue of its own in the background, and the forks of this process.
    package static var background: Self {
        let queue = BackgroundQueue()
        return Self(schedule: { queue.async(after: $0, $1) }, forkCount: { Fork.count })
    }
}
