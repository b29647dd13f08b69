import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A local file with accepted writes that the cluster has not agreed on yet, locked by the store that sends them.
struct PendingList: Sendable {
    private let list: StateList
    private let lock: StateLock

    /// Opens the files that no other store uses: one for a new store, and those that ended stores have left.
    ///
    /// - Parameter base: What the paths of all files begin with. Their numbers follow.
    static func openUnused(
        _ base: String, _ fileSystem: any FileSystem, _ report: @escaping StateList.Report
    ) throws -> [PendingList] {
        var lists: [PendingList] = []
        var number = 0
        while true {
            // A separate file, because the property list itself is sometimes replaced.
            let path = "\(base)-\(number).lock"
            if !lists.isEmpty, try fileSystem.status(of: path, followingLink: false) == nil { return lists }
            if let lock = try StateLock(path, fileSystem) {
                let list = try StateList("\(base)-\(number).plist", fileSystem, report: report)
                lists.append(PendingList(list: list, lock: lock))
                try lists.last?.removeUnreadable()
            }
            number += 1
        }
    }

    /// Releases the file for another store, even if a thread still uses it.
    func unlock() { lock.unlock() }

    /// The cluster and the addresses for which writes were last accepted.
    var owner: StateOwner? { list.owner }

    /// The writes, in their order.
    var writes: [QueuedWrite] {
        ids.compactMap { id in list[Self.name(id)].flatMap { QueuedWrite(id, stored: $0) } }
    }

    private var ids: [QueuedWrite.ID] {
        list.names.compactMap { name in
            name.hasPrefix(EtcdNames.acceptedWrite)
                ? QueuedWrite.ID(name.dropFirst(EtcdNames.acceptedWrite.count)) : nil
        }.sorted()
    }

    private static func name(_ id: QueuedWrite.ID) -> String { "\(EtcdNames.acceptedWrite)\(id)" }

    /// Keeps the file aside if it has unreadable writes, and removes them.
    private func removeUnreadable() throws {
        let unreadable = Set(ids).subtracting(writes.map(\.id))
        if unreadable.isEmpty { return }
        try list.keepDamaged(UnreadableWrites(count: unreadable.count))
        try update(removing: unreadable)
    }

    /// Appends writes of another file to those of this one.
    func append(_ writes: [QueuedWrite], of owner: StateOwner) throws {
        var next = ids.last ?? 0
        let renumbered = writes.map { write in
            next += 1
            var write = write
            write.id = next
            return write
        }
        try update(storing: renumbered, of: owner)
    }

    /// Removes ended writes and stores others, as one change. When it returns, the writes survive the end of the process.
    func update(
        removing removed: Set<QueuedWrite.ID> = [], storing stored: [QueuedWrite] = [], of owner: StateOwner? = nil
    ) throws {
        var writes: [String: Data?] = [:]
        for id in removed where list[Self.name(id)] != nil { writes[Self.name(id)] = .some(nil) }
        for write in stored { writes[Self.name(write.id)] = try write.stored() }
        try list.apply(writes, owner: owner)
    }

    func synchronize() throws { try list.synchronize() }
}

/// A lock on one of the local files, until it is unlocked or its process ends.
private final class StateLock: Sendable {
    private let file: SettingsKitPlatform.FileHandle
    private let fileSystem: any FileSystem

    /// Nil if another store has it.
    init?(_ path: String, _ fileSystem: any FileSystem) throws(SystemError) {
        (file, self.fileSystem) = (try fileSystem.openOrCreate(path).file, fileSystem)
        if try !fileSystem.lock(file) { return nil }
    }

    deinit { fileSystem.close(file) }

    func unlock() { fileSystem.unlock(file) }
}
