/// Old removals that must be kept, and the files that require it.
struct HeldRemovals: Sendable {
    /// The removals' stamps, by the settings' names.
    private let removals: [String: Stamp]
    /// The names of the settings whose removals must be kept, by file.
    private var names: [String: Set<String>] = [:]

    init(_ removals: [SharedRecord]) {
        self.removals = Dictionary(
            removals.map { ($0.name, $0.entry.stamp) }, uniquingKeysWith: { first, _ in first })
    }

    /// Holds the removals that another replica has not heard. A replica without a head counts while it is used.
    mutating func hold(unheardIn parts: ReplicaParts, besides own: ReplicaID, since time: Int64) {
        let headless = parts.headless.filter { $0.value.written >= time }.mapValues(\.file)
        let files = parts.newest.mapValues(\.file).merging(headless, uniquingKeysWith: { head, _ in head })
        for (replica, file) in files where replica != own {
            // All heads of the replica count, including older ones: a heard removal stays heard.
            let headers = parts.heads.map(\.header).filter { $0.replica == replica }
            hold(unheardBy: headers.reduce(into: HeardMoments()) { $0.join($1.heard) }, in: file)
        }
    }

    /// Holds the removals that the writer of a file has not heard.
    mutating func hold(unheardBy heard: HeardMoments, in file: String) {
        for (name, stamp) in removals where !heard.covers(stamp) { names[file, default: []].insert(name) }
    }

    /// Holds the removal of a setting that has a value in a file.
    mutating func hold(_ record: SharedRecord, in file: String) {
        guard !record.entry.isTombstone, removals[record.name] != nil else { return }
        names[file, default: []].insert(record.name)
    }

    /// Whether a removal must be kept.
    func isHeld(_ removal: SharedRecord) -> Bool { names.values.contains { $0.contains(removal.name) } }

    /// The number of held removals for each file.
    var counts: [String: Int] { names.mapValues(\.count) }
}
