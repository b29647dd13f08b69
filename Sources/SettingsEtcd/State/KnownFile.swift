import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The last known state of the cluster, in one file for all programs that use a folder and prefix.
///
/// The file contains everything of one revision, and single values that a program has seen ahead of it. A program changes it only
/// from the revision that it has found there, so that nothing newer is replaced, and changes that others have stored cost no
/// write.
final class KnownFile: Sendable {
    /// The revisions that this program has found in the file.
    private struct Found {
        /// The one up to which the file is complete. If the file has an earlier one now, it was lost.
        var complete: Int64
        /// The one before the whole state of the cluster was read. If the state has an earlier one, the cluster was restored.
        var beforeReading: Int64
    }

    private let list: StateList
    private let addresses: [String]
    private let found: Mutex<Found>
    /// The cluster of the values; 0 if they are not used before the cluster is reached.
    let cluster: UInt64

    init(_ base: String, _ own: StateOwner, _ fileSystem: any FileSystem, report: @escaping StateList.Report) throws {
        list = try StateList(base + ".plist", fileSystem, patience: EtcdTimings.localPatience, report: report)
        addresses = own.addresses
        let owner = list.owner
        cluster = owner.map { $0.isProbably(own) ? $0.cluster : 0 } ?? 0
        let revision = Self.revision(in: list[EtcdNames.knownRevision])
        found = Mutex(Found(complete: revision, beforeReading: revision), .leaf)
    }

    /// The owner named in the file.
    var owner: StateOwner? { list.owner }

    /// The revision of the last known state; 0 if there is none.
    var revision: Int64 { Self.revision(in: list[EtcdNames.knownRevision]) }

    /// The last known values.
    func values(in range: KeyRange) -> [String: ClusterContents.Known] {
        if cluster == 0 { return [:] }
        var known: [String: ClusterContents.Known] = [:]
        for name in names {
            guard let entry = list[EtcdNames.knownValue + name], let data = Self.data(in: entry) else { continue }
            known[name] = .init(key: range.key(of: name), data: data, modRevision: Self.revision(in: entry))
        }
        return known
    }

    // MARK: Writing

    /// Stores the whole state of a cluster, or the seen values of some names.
    ///
    /// - Returns: Whether the file has them now, or belongs to another cluster. If not, the file was lost, and needs the whole
    ///   state.
    func update(_ update: LocalState.Update) throws -> Bool {
        if let all = update.all {
            try replace(with: all, at: update.revision, of: update.cluster)
            return true
        }
        var isLost = false
        try change { stored, owner in
            isLost = owner == nil
            guard let owner, owner.cluster == update.cluster else { return nil }
            isLost = stored < found.withLock { $0.complete }
            if isLost { return nil }
            var writes: [String: Data?] = [:]
            for (name, seen) in update.seen {
                let revision = max(update.revision, seen.lastRevision)
                guard revision > stored, revision >= self.revision(of: name) else { continue }
                record(seen, of: name, in: &writes)
            }
            if update.revision > stored { writes[EtcdNames.knownRevision] = Data("\(update.revision)".utf8) }
            return (writes, owner)
        }
        return !isLost
    }

    /// Records the revision stored by other programs before the whole state of the cluster is read.
    func beginReading() throws {
        defer {
            let revision = revision
            found.withLock { $0.beforeReading = revision }
        }
        try list.refresh(waiting: EtcdTimings.localPatience)
    }

    /// Stores the whole state of a cluster, unless another program has stored a newer one.
    private func replace(with values: [String: ClusterContents.Known], at revision: Int64, of cluster: UInt64) throws {
        try change { stored, present in
            var owner = StateOwner(cluster: cluster, addresses: addresses)
            let isSame = present?.cluster == cluster
            if let present, isSame { owner = owner.adding(present.addresses) }
            let isRestored = isSame && revision < found.withLock { $0.beforeReading }
            var writes: [String: Data?] = [:]
            // At the same revision, the file may have values that were lost by a restoration.
            if !isSame || isRestored || stored <= revision {
                for name in Set(names).union(values.keys) {
                    if isSame, !isRestored, self.revision(of: name) > revision { continue }
                    record(.init(known: values[name]), of: name, in: &writes)
                }
                writes[EtcdNames.knownRevision] = Data("\(revision)".utf8)
            }
            return (writes, owner)
        }
        found.withLock { $0.beforeReading = 0 }
    }

    /// Makes the change that `body` derives from the revision and the owner in the file, again if another program has made one in
    /// the meantime.
    private func change(
        _ body: (_ stored: Int64, _ owner: StateOwner?) -> (writes: [String: Data?], owner: StateOwner)?
    ) throws {
        for _ in 0..<EtcdLimits.localAttempts {
            let present = [EtcdNames.owner, EtcdNames.knownRevision].map { ($0, list[$0]) }
            guard let change = body(revision, owner) else { return }
            let expectations = Dictionary(uniqueKeysWithValues: present)
            if try list.apply(change.writes, owner: change.owner, expecting: expectations) {
                let revision = revision
                return found.withLock { $0.complete = revision }
            }
        }
        throw SettingsError(.busy, store: "EtcdStore")
    }

    // MARK: Entries

    /// The names with an entry: the revision of a value, or of its absence, then a space and the value.
    private var names: [String] {
        list.names.filter { $0.hasPrefix(EtcdNames.knownValue) }.map {
            String($0.dropFirst(EtcdNames.knownValue.count))
        }
    }

    private func revision(of name: String) -> Int64 { Self.revision(in: list[EtcdNames.knownValue + name]) }

    private func record(_ seen: ClusterContents.Seen, of name: String, in writes: inout [String: Data?]) {
        var entry = seen.lastRevision > 0 ? Data("\(seen.lastRevision)".utf8) : nil
        if let known = seen.known { entry?.append(contentsOf: [UInt8(ascii: " ")] + known.data) }
        let name = EtcdNames.knownValue + name
        if list[name] != entry { writes[name] = .some(entry) }
    }

    /// The revision at the beginning of an entry; 0 if there is none.
    private static func revision(in entry: Data?) -> Int64 {
        let digits = entry?.prefix { $0 != UInt8(ascii: " ") } ?? Data()
        return Int64(String(decoding: digits, as: UTF8.self)) ?? 0
    }

    private static func data(in entry: Data) -> Data? {
        entry.firstIndex(of: UInt8(ascii: " ")).map { Data(entry[($0 + 1)...]) }
    }
}
