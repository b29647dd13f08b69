#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The replicas' heads, and which of them have arrived with all their parts.
///
/// A head lists the versions of its parts. A syncer can bring the files in any order, and every file that has arrived is used.
/// This type only determines whether files are missing.
struct ReplicaParts: Sendable {
    struct Head: Sendable {
        /// The file's name.
        let file: String
        let header: ReplicaHeader
        /// The first listed part that is missing or damaged. Nil if there is none.
        let missingPart: Int?
        fileprivate let isIntact: Bool

        /// Whether everything that the replica knew when it wrote the head has arrived.
        var isComplete: Bool { isIntact && missingPart == nil }

        /// Compares the latest changes of the replica itself, which do not depend on corrections of its clock. If they are the
        /// same, the head that was written later by that clock is newer; in the same millisecond, the complete one.
        fileprivate func isNewer(than other: Head) -> Bool {
            let (change, otherChange) = (lastChange, other.lastChange)
            if change != otherChange { return otherChange < change }
            return (other.header.written, other.isComplete ? 1 : 0) < (header.written, isComplete ? 1 : 0)
        }

        private var lastChange: HybridMoment { header.heard.moments[header.replica] ?? .earliest }
    }

    private struct Part: Hashable {
        let replica: ReplicaID
        let number: Int
        let serial: UInt64
    }

    /// All heads, including conflict copies and older versions.
    let heads: [Head]
    /// The newest head of each replica.
    let newest: [ReplicaID: Head]
    /// Replicas that have parts but no head, with the part that was written last.
    let headless: [ReplicaID: (file: String, written: Int64)]

    /// - Parameter files: The summaries of the files in the directory, by name.
    init(_ files: [String: SeenFile.Summary]) {
        var intact: Set<Part> = []
        for summary in files.values where summary.isComplete {
            guard let header = summary.header, let serial = header.serial else { continue }
            intact.insert(Part(replica: header.replica, number: header.part, serial: serial))
        }
        var heads: [Head] = []
        var headless: [ReplicaID: (file: String, written: Int64)] = [:]
        for (file, summary) in files.sorted(by: { $0.key < $1.key }) {
            guard let header = summary.header else { continue }
            guard header.part == 0 else {
                if headless[header.replica].map({ $0.written < header.written }) ?? true {
                    headless[header.replica] = (file, header.written)
                }
                continue
            }
            let missing = header.parts.indices.first { index in
                guard let serial = header.parts[index] else { return false }
                return !intact.contains(Part(replica: header.replica, number: index + 1, serial: serial))
            }
            heads.append(
                Head(
                    file: file, header: header, missingPart: missing.map { $0 + 1 },
                    isIntact: summary.isComplete))
        }
        var newest: [ReplicaID: Head] = [:]
        for head in heads {
            headless[head.header.replica] = nil
            guard let other = newest[head.header.replica] else {
                newest[head.header.replica] = head
                continue
            }
            if head.isNewer(than: other) { newest[head.header.replica] = head }
        }
        self.heads = heads
        self.newest = newest
        self.headless = headless
    }

    /// Whether each replica's newest head has arrived with all its parts. Parts without a head that were written before `time`
    /// are left over from a replica whose head was deleted.
    func isComplete(since time: Int64) -> Bool {
        headless.values.allSatisfy { $0.written < time } && newest.values.allSatisfy(\.isComplete)
    }

    /// The files that wait for a part, with its number, except those of replicas that have written nothing since `time`.
    func waiting(since time: Int64) -> [(file: String, replica: ReplicaID, part: Int)] {
        newest.compactMap { replica, head in head.missingPart.map { (head.file, replica, $0) } }
            + headless.filter { $0.value.written >= time }.map { ($0.value.file, $0.key, 0) }
    }

    /// The headers of files that were not written since `time`. Only the head of a replica with several files counts: large parts
    /// are written seldom.
    func abandoned(among files: [String: SeenFile.Summary], since time: Int64) -> [String: ReplicaHeader] {
        files.compactMapValues(\.header).filter {
            $0.value.written < time && ($0.value.part == 0 || isLeftOver($0.value))
        }
    }

    /// The replicas with their most important headers: the own one first, then by name.
    ///
    /// - Parameters:
    ///   - files: The summaries of the files in the directory, by name.
    ///   - now: The machine's time, in milliseconds since 1970.
    func replicas(
        among files: [String: SeenFile.Summary], own: ReplicaID?, now: Int64
    ) -> [(replica: DirectoryStore.Replica, header: ReplicaHeader)] {
        let names = newest.values.map(\.file) + headless.values.map(\.file)
        let replicas = names.compactMap { name -> (replica: DirectoryStore.Replica, header: ReplicaHeader)? in
            guard let summary = files[name], let header = summary.header else { return nil }
            let replica = DirectoryStore.Replica(
                id: header.replica.description, deviceName: header.device,
                lastSeen: Date(timeIntervalSince1970: Double(min(header.written, now)) / 1_000),
                entryCount: header.total ?? summary.recordCount, isOwn: header.replica == own)
            return (replica, header)
        }
        return replicas.sorted { one, other in
            let (one, other) = (one.replica, other.replica)
            if one.isOwn != other.isOwn { return one.isOwn }
            return (one.deviceName, one.id) < (other.deviceName, other.id)
        }
    }

    /// Whether a part no longer belongs to a head: it is a copy, or its head was deleted.
    func isLeftOver(_ header: ReplicaHeader) -> Bool {
        guard header.part > 0 else { return false }
        guard let head = newest[header.replica]?.header, head.parts.indices.contains(header.part - 1) else {
            return true
        }
        return head.parts[header.part - 1] != header.serial
    }
}
