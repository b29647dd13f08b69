/// Decides when to ask a cloud for which files.
///
/// A cloud such as iCloud Drive removes the contents of files that a device has not used for a while, and leaves placeholders. It
/// downloads a file on request. That may fail silently, for example without a network, so the request is repeated after a while.
struct DownloadRequests: Sendable {
    private var asked: [String: ContinuousClock.Instant] = [:]

    /// Returns the names of replicas' files to request now, in order, and records the requests.
    ///
    /// Only replicas' files with their usual names are requested: another name could be any file of the user, of any size.
    ///
    /// - Parameter pending: The names of files and placeholders in the directory whose contents are not on the device.
    mutating func nextDue(among pending: [String], at now: ContinuousClock.Instant) -> [String] {
        let names = Set(pending.map(ReplicaFileName.fullName)).filter { ReplicaFileName.isLikely($0) }
        asked = asked.filter { names.contains($0.key) }
        let due = names.filter { name in asked[name].map { now - $0 >= DirectoryLimits.downloadPause } ?? true }
        for name in due { asked[name] = now }
        return due.sorted()
    }
}
