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
    private let prefix: String
    private let folder: String
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
        own = StateOwner(addresses: addresses)
        (self.folder, self.prefix, self.fileSystem, self.report) = (folder, prefix, fileSystem, report)
        do {
            let base = try Self.base(in: folder, prefix, fileSystem)
            known = try KnownFile(base, own, fileSystem, report: report)
            let lists = keepsWrites ? try PendingList.openUnused(base, fileSystem, report) : []
            pendingList = lists.first
            for list in lists { try keepStrangersAside(of: list) }
            for list in lists.dropFirst() { try adopt(list) }
        } catch {
            throw SettingsError.wrap(error, as: .storeUnavailable, store: "EtcdStore, local state at \(folder)")
        }
    }

    /// What the paths of all files for a prefix begin with, in a folder that is created if it is missing.
    private static func base(in folder: String, _ prefix: String, _ fileSystem: any FileSystem) throws -> String {
        let base = WholeFile.join(folder, EtcdNames.file + String(hash(prefix), radix: 16))
        try WholeFile(path: base, fileSystem: fileSystem).createDirectory()
        return base
    }

    /// The 64-bit FNV-1a hash.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Releases the files for another store.
    func unlock() { pendingList?.unlock() }

    // MARK: Other stores and clusters

    /// Moves the writes of a file that an ended store has left to this store's file.
    private func adopt(_ other: PendingList) throws {
        defer { other.unlock() }
        let writes = other.writes
        guard let pendingList, !writes.isEmpty else { return }
        try pendingList.append(writes, of: pendingList.owner ?? other.owner ?? own)
        // If the process ends in between, the writes are sent twice. The second time, they change nothing.
        try other.update(removing: Set(writes.map(\.id)))
    }

    /// Keeps writes aside that were accepted with other addresses before any cluster was reached.
    private func keepStrangersAside(of list: PendingList) throws {
        guard let owner = list.owner, !owner.isProbably(own) else { return }
        try keepAside(list.writes.filter { $0.cluster == 0 }, of: owner, from: list)
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
            if let known = known.owner, known.cluster == cluster { owner = known }
            owner.cluster = cluster
            let folder = WholeFile.join(folder, EtcdNames.otherCluster + String(cluster, radix: 16))
            let lists = try PendingList.openUnused(Self.base(in: folder, prefix, fileSystem), fileSystem, report)
            defer { for list in lists { list.unlock() } }
            try lists[0].append(writes, of: owner)
            try lists[0].synchronize()
            try list.update(removing: Set(writes.map(\.id)))
            report(
                SettingsError(
                    .otherCluster, store: "EtcdStore \(prefix)",
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
        try pendingList?.update(storing: [write], of: StateOwner(cluster: write.cluster, addresses: own.addresses))
    }

    /// The changes since the files were written.
    struct Update {
        /// The cluster that has them.
        var cluster: UInt64
        /// The writes that have ended.
        var ended: Set<QueuedWrite.ID> = []
        /// The accepted writes whose bases have changed.
        var rebased: [QueuedWrite] = []
        /// The whole known state, if the file lacks it.
        var all: [String: ClusterContents.Known]?
        /// Otherwise, the cluster's current values of some names.
        var seen: [String: ClusterContents.Seen] = [:]
        /// The revision of the whole known state; 0 before it is read.
        var revision: Int64
    }

    /// - Returns: Whether the file of the known state has the update now. If not, the file was lost, and needs the whole state.
    @discardableResult
    func update(_ update: Update) throws -> Bool {
        // Stored first: agreed values must not be missing after a restart.
        let isKnown = try known.update(update)
        let owner = StateOwner(cluster: update.cluster, addresses: own.addresses)
        try pendingList?.update(
            removing: update.ended, storing: update.rebased, of: update.rebased.isEmpty ? nil : owner)
        return isKnown
    }
}
