import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The local files of a store: the last known state of the cluster, and accepted writes that it has not agreed on yet.
final class LocalState: Sendable {
    private let known: KnownFile
    /// nil for a store that keeps no accepted writes.
    private let pendingList: PendingList?
    private let own: StateOwner
    private let base: String
    private let fileSystem: any FileSystem
    private let report: StateList.Report

    /// Opens the files in a folder.
    ///
    /// - Parameters:
    ///   - addresses: The addresses of the cluster to be reached.
    ///   - keepsWrites: Whether the store keeps accepted writes. If so, it also adopts those left by ended stores.
    ///   - report: Called with each problem of the files, while the state may be locked.
    /// - Throws: ``SettingsError`` with the code `storeUnavailable`.
    init(
        folder: String, prefix: String, addresses: [String], keepsWrites: Bool,
        fileSystem: any FileSystem = POSIXFileSystem(), report: @escaping StateList.Report = { _ in }
    ) throws {
        own = StateOwner(prefix: prefix, addresses: addresses)
        (self.fileSystem, self.report) = (fileSystem, report)
        base = Self.base(folder, prefix)
        do {
            try WholeFile(path: base, fileSystem: fileSystem).createDirectory()
            known = try KnownFile(base, own, fileSystem, report: report)
            guard keepsWrites else {
                pendingList = nil
                return
            }
            let (slot, list) = try PendingList.openFirst(base, fileSystem, report)
            pendingList = list
            try keepStrangersAside(of: list)
            try PendingList.forOthers(of: base, from: slot + 1, fileSystem, report) { try adopt($0, by: list) }
        } catch {
            throw SettingsError.wrap(error, as: .storeUnavailable, store: "EtcdStore, local state at \(folder)")
        }
    }

    private static func base(_ folder: String, _ prefix: String) -> String {
        WholeFile.join(folder, "etcd-" + String(hash(prefix), radix: 16))
    }

    /// The 64-bit FNV-1a hash.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Releases the files for another store.
    func unlock() { pendingList?.end() }

    // MARK: Other stores and clusters

    private func adopt(_ other: PendingList, by list: PendingList) throws {
        try keepStrangersAside(of: other)
        let writes = other.writes
        if writes.isEmpty { return }
        try list.append(writes, of: list.owner ?? other.owner ?? own)
        // If the process ends in between, the writes are sent twice. The second time, they change nothing.
        try other.update(removing: Set(writes.map(\.id)))
    }

    /// Keeps writes aside that are certainly not for the cluster to be reached: those for another prefix, and those accepted with
    /// other addresses before any cluster was reached.
    private func keepStrangersAside(of list: PendingList) throws {
        guard let owner = list.owner, !owner.isProbably(own) else { return }
        let strangers = list.writes.filter { owner.prefix != own.prefix || $0.cluster == 0 }
        try keepAside(strangers, of: owner, from: list)
    }

    /// Keeps writes aside that were accepted for other clusters than the one that was reached.
    func keepAside(_ writes: [QueuedWrite]) throws {
        guard let pendingList else { return }
        try keepAside(writes, of: pendingList.owner ?? own, from: pendingList)
    }

    /// Moves writes to a state folder for each cluster, which a store of that cluster can use, and reports it.
    private func keepAside(_ writes: [QueuedWrite], of owner: StateOwner, from list: PendingList) throws {
        for (cluster, writes) in Dictionary(grouping: writes, by: \.cluster) {
            var owner = owner
            if let known = known.owner, known.cluster == cluster, known.prefix == owner.prefix { owner = known }
            owner.cluster = cluster
            let folder = WholeFile.join(WholeFile.split(base).directory, "cluster-" + String(cluster, radix: 16))
            let base = Self.base(folder, owner.prefix)
            try WholeFile(path: base, fileSystem: fileSystem).createDirectory()
            let aside = try PendingList.openFirst(base, fileSystem, report).list
            defer { aside.end() }
            try aside.append(writes, of: owner)
            try aside.synchronize()
            try list.update(removing: Set(writes.map(\.id)))
            report(
                SettingsError(
                    .otherCluster, store: "EtcdStore \(own.prefix)",
                    underlying: KeptChanges(folder: folder, count: writes.count)))
        }
    }

    // MARK: Reading

    /// The cluster that the state probably belongs to; 0 if it is unknown before the cluster is reached.
    var cluster: UInt64 {
        if known.cluster != 0 { return known.cluster }
        guard let owner = pendingList?.owner, owner.isProbably(own) else { return 0 }
        return owner.cluster
    }

    /// The last known state of the cluster, if it is probably the one to be reached.
    func known(in range: KeyRange) -> [String: ClusterContents.Known] { known.values(in: range) }

    /// The revision of the last known state; 0 if there is none.
    var revision: Int64 { known.revision }

    /// Accepted writes of earlier runs, in their order.
    func pending() -> [QueuedWrite] { pendingList?.writes ?? [] }

    // MARK: Writing

    /// Begins to read the whole state of the cluster.
    func beginReading() throws { try known.beginReading() }

    /// Stores an accepted write. When it returns, the write survives the end of the process.
    func accept(_ write: QueuedWrite) throws {
        var owner = own
        owner.cluster = write.cluster
        try pendingList?.accept(write, of: owner)
    }

    /// The changes since the files were written.
    struct Update {
        /// The cluster that has them.
        var cluster: UInt64
        /// The writes that have ended.
        var removed: Set<QueuedWrite.ID> = []
        /// The accepted writes whose bases have changed.
        var rebased: [QueuedWrite] = []
        /// The cluster's current values of some names.
        var known: [String: ClusterContents.Known?] = [:]
        /// The revisions, after ``revision``, at which some names were seen to have no value.
        var absent: [String: Int64] = [:]
        var revision: Int64?
    }

    /// - Returns: Whether the file of the known state has the update now. If not, the file was lost, and needs the whole state.
    @discardableResult
    func update(_ update: Update) throws -> Bool {
        // Stored first: agreed values must not be missing after a restart.
        let isKnown = try known.update(update)
        var owner = own
        owner.cluster = update.cluster
        try pendingList?.update(
            removing: update.removed, storing: update.rebased, of: update.rebased.isEmpty ? nil : owner)
        return isKnown
    }

    /// Stores the whole state of a cluster.
    func replaceKnown(with values: [String: ClusterContents.Known], revision: Int64, of cluster: UInt64) throws {
        try known.replace(with: values, at: revision, of: cluster)
    }
}

/// The folder with changes for another cluster.
struct KeptChanges: ValueFreeError {
    let folder: String
    let count: Int

    var description: String { "\(count) \(count == 1 ? "change is" : "changes are") kept in \(folder)." }
}
