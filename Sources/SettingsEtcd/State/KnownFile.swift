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
    private static let knownPrefix = "known:"
    /// The prefix of names for the revision of a known value, or of its absence.
    private static let writtenPrefix = "written:"
    private static let revisionName = "revision"
    /// The greatest number of attempts at a change while other programs make theirs.
    private static let attemptLimit = 100
    /// A program that is stopped in the middle of a change must not stop this one, which then stores its own change later.
    private static let patience = Duration.milliseconds(200)

    /// This program's knowledge of the cluster and the file.
    private struct Knowledge {
        var owner: StateOwner
        /// The newest revision of the cluster seen.
        var newest: Int64
        /// The revision up to which the file was seen to be complete.
        var stored: Int64
        /// Whether a whole state could not be stored, so that the file lacks more than the next change.
        var isIncomplete = false
    }

    private let list: StateList
    private let prefix: String
    private let addresses: [String]
    private let knowledge: Mutex<Knowledge>
    /// Whether the file probably belongs to the cluster to be reached.
    private let isOwn: Bool

    init(_ base: String, _ own: StateOwner, _ fileSystem: any FileSystem, report: @escaping StateList.Report) throws {
        list = try StateList(base + ".plist", fileSystem, patience: Self.patience, report: report)
        (prefix, addresses) = (own.prefix, own.addresses)
        let (owner, revision) = (list.owner, list.number(Self.revisionName))
        isOwn = owner?.isProbably(own) ?? false
        let isSame = owner?.prefix == own.prefix
        knowledge = Mutex(
            Knowledge(owner: isSame ? owner ?? own : own, newest: isSame ? revision : 0, stored: isSame ? revision : 0),
            .leaf)
    }

    /// The cluster of the values; 0 if they are not used before the cluster is reached.
    var cluster: UInt64 { isOwn ? knowledge.withLock { $0.owner.cluster } : 0 }

    /// The owner named in the file.
    var owner: StateOwner? { list.owner }

    /// The revision of the last known state; 0 if there is none.
    var revision: Int64 { list.number(Self.revisionName) }

    /// The last known values.
    func values(in range: KeyRange) -> [String: ClusterContents.Known] {
        guard isOwn else { return [:] }
        var known: [String: ClusterContents.Known] = [:]
        for name in list.names where name.hasPrefix(Self.knownPrefix) {
            guard let data = list[name] else { continue }
            let name = String(name.dropFirst(Self.knownPrefix.count))
            known[name] = .init(
                key: range.key(of: name), data: data, modRevision: list.number(Self.writtenPrefix + name))
        }
        return known
    }

    // MARK: Writing

    /// Stores the seen values of some names.
    ///
    /// - Returns: Whether the file has them now, or belongs to another cluster. If not, the file was lost, and needs the whole
    ///   state.
    func update(_ update: LocalState.Update) throws -> Bool {
        for _ in 0..<Self.attemptLimit {
            let (stored, knowledge) = (revision, knowledge.withLock { $0 })
            guard let owner = list.owner, !knowledge.isIncomplete else { return false }
            guard owner.cluster == update.cluster, owner.cluster == knowledge.owner.cluster, owner.prefix == prefix,
                owner.restorations == knowledge.owner.restorations
            else { return true }
            if stored < knowledge.stored { return false }
            let revision = max(stored, update.revision ?? 0)
            var writes: [String: Data?] = [:]
            for (name, known) in update.known {
                let written = known?.modRevision ?? update.absent[name]
                let seen = max(update.revision ?? 0, written ?? 0)
                guard seen > stored, seen >= list.number(Self.writtenPrefix + name) else { continue }
                record(name, known, written, in: &writes)
            }
            if revision > stored { writes[Self.revisionName] = StateList.bytes(revision) }
            if try writes.isEmpty || list.apply(writes, expecting: expectation) {
                self.knowledge.withLock { knowledge in
                    // Not the file's revision: a read that another program has overtaken is not an earlier state.
                    knowledge.newest = max(knowledge.newest, update.revision ?? 0)
                    knowledge.stored = max(knowledge.stored, revision)
                }
                return true
            }
        }
        throw SettingsError(.busy, store: "EtcdStore")
    }

    /// Records the revision stored by other programs before the whole state of the cluster is read. If it is newer than the state
    /// that was read, the cluster was restored.
    func beginReading() throws {
        try list.refresh(waiting: Self.patience)
        let (owner, revision) = (list.owner, revision)
        knowledge.withLock { knowledge in
            guard let owner, owner.cluster == knowledge.owner.cluster, owner.prefix == prefix,
                owner.restorations == knowledge.owner.restorations
            else { return }
            knowledge.newest = max(knowledge.newest, revision)
        }
    }

    /// Stores the whole state of a cluster.
    func replace(with values: [String: ClusterContents.Known], at revision: Int64, of cluster: UInt64) throws {
        let known = knowledge.withLock { knowledge in
            knowledge.isIncomplete = true
            return knowledge
        }
        let isEarlier = known.owner.cluster == cluster && revision < known.newest
        for _ in 0..<Self.attemptLimit {
            var owner = StateOwner(cluster: cluster, prefix: prefix, addresses: addresses)
            let (present, stored) = (list.owner, self.revision)
            var isBehind = true
            var isSame = false
            if let present, present.cluster == cluster, present.prefix == prefix {
                owner = owner.adding(present.addresses)
                owner.restorations = present.restorations
                // Another program may already have noticed the restoration.
                if isEarlier, present.restorations == known.owner.restorations {
                    owner.restorations += 1
                } else {
                    // At the same revision, the file may have values that were lost by a restoration.
                    (isSame, isBehind) = (true, stored <= revision)
                }
            }
            var writes: [String: Data?] = [:]
            if isBehind {
                let isAhead = { [list] (name: String) in isSame && list.number(Self.writtenPrefix + name) > revision }
                for name in list.names {
                    guard let name = Self.settingName(name), values[name] == nil, !isAhead(name) else { continue }
                    record(name, nil, nil, in: &writes)
                }
                for (name, value) in values where !isAhead(name) { record(name, value, value.modRevision, in: &writes) }
                writes[Self.revisionName] = StateList.bytes(revision)
            }
            if try list.apply(writes, owner: owner, expecting: expectation) {
                knowledge.withLock {
                    $0 = Knowledge(owner: owner, newest: revision, stored: isBehind ? revision : stored)
                }
                return
            }
        }
        throw SettingsError(.busy, store: "EtcdStore")
    }

    private func record(
        _ name: String, _ known: ClusterContents.Known?, _ written: Int64?, in writes: inout [String: Data?]
    ) {
        for (name, data) in [
            (Self.knownPrefix + name, known?.data), (Self.writtenPrefix + name, written.map(StateList.bytes)),
        ] where list[name] != data { writes[name] = .some(data) }
    }

    /// The file's current contents, so that a change is made only if no other program has made one.
    private var expectation: [String: Data?] {
        list.ownerExpectation.merging([Self.revisionName: list[Self.revisionName]]) { $1 }
    }

    /// The setting of a name for a value or revision.
    private static func settingName(_ name: String) -> String? {
        [knownPrefix, writtenPrefix].first(where: name.hasPrefix).map { String(name.dropFirst($0.count)) }
    }
}
