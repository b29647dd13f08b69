/// Decides for which files a cloud is asked, and when.
///
/// A cloud such as iCloud Drive keeps files that a device has not used for a while, and leaves a placeholder. It brings a
/// file back when it is asked, which may fail silently, without a network for example. So it is asked again after a while.
struct DownloadRequests: Sendable {
    static let pause = Duration.seconds(60)

    private var asked: [String: ContinuousClock.Instant] = [:]

    /// Returns the names of replicas' files to ask for now, in order.
    ///
    /// A replica's file that has another name than usual is not asked for: it could be any file of the user, of any size.
    ///
    /// - Parameter pending: The names of files and placeholders in the directory whose contents are not on the device.
    mutating func takeDue(among pending: [String], at now: ContinuousClock.Instant) -> [String] {
        let names = Set(pending.map(ReplicaFileName.fullName)).filter { ReplicaFileName.isLikely($0) }
        asked = asked.filter { names.contains($0.key) }
        let due = names.filter { name in asked[name].map { now - $0 >= Self.pause } ?? true }
        for name in due { asked[name] = now }
        return due.sorted()
    }
}
