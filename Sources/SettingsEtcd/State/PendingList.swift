import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A local file with accepted writes that the cluster has not agreed on yet, locked by the store that sends them.
struct PendingList: Sendable {
    private static let pendingPrefix = "pending:"
    /// The greatest number of programs that can use one folder and prefix at the same time.
    private static let slotLimit = 1000

    private let list: StateList
    /// A separate file, because the property list itself is sometimes replaced.
    private let lock: StateLock

    private init(_ list: StateList, _ lock: StateLock) { (self.list, self.lock) = (list, lock) }

    /// Opens the file in a slot; nil if another store uses it.
    private static func open(
        _ base: String, _ slot: Int, _ fileSystem: any FileSystem, _ report: @escaping StateList.Report
    ) throws -> PendingList? {
        guard let lock = try StateLock.acquire(lockPath(base, slot), fileSystem) else { return nil }
        do {
            let list = PendingList(try StateList("\(base)-\(slot).plist", fileSystem, report: report), lock)
            try list.removeUnreadable(report)
            return list
        } catch {
            lock.end()
            throw error
        }
    }

    /// Opens the first file that no other store uses.
    static func openFirst(
        _ base: String, _ fileSystem: any FileSystem, _ report: @escaping StateList.Report
    ) throws -> (slot: Int, list: PendingList) {
        for slot in 0..<slotLimit {
            if let list = try open(base, slot, fileSystem, report) { return (slot, list) }
        }
        throw TooManyStores()
    }

    /// Calls `body` with the file of each unused slot from `first` on.
    static func forOthers(
        of base: String, from first: Int, _ fileSystem: any FileSystem, _ report: @escaping StateList.Report,
        _ body: (PendingList) throws -> Void
    ) throws {
        for slot in first..<slotLimit {
            guard try fileSystem.status(of: lockPath(base, slot), followingLink: false) != nil else { return }
            guard let list = try open(base, slot, fileSystem, report) else { continue }
            defer { list.end() }
            try body(list)
        }
    }

    private static func lockPath(_ base: String, _ slot: Int) -> String { "\(base)-\(slot).lock" }

    /// Releases the file for another store. Closing it is not enough while the child of a fork also has it open.
    func end() { lock.end() }

    /// The cluster and the addresses for which writes were last accepted.
    var owner: StateOwner? { list.owner }

    /// The writes, in their order.
    var writes: [QueuedWrite] {
        ids.compactMap { id in list[Self.name(id)].flatMap { QueuedWrite(id, stored: $0) } }
    }

    private var ids: [QueuedWrite.ID] {
        list.names.compactMap { name in
            name.hasPrefix(Self.pendingPrefix) ? QueuedWrite.ID(name.dropFirst(Self.pendingPrefix.count)) : nil
        }.sorted()
    }

    private static func name(_ id: QueuedWrite.ID) -> String { "\(pendingPrefix)\(id)" }

    /// Keeps the file aside if it has unreadable writes, and removes them.
    private func removeUnreadable(_ report: StateList.Report) throws {
        let unreadable = Set(ids).subtracting(writes.map(\.id))
        if unreadable.isEmpty { return }
        try list.keepDamaged(UnreadableWrites(count: unreadable.count), report: report)
        try update(removing: unreadable)
    }

    /// Stores an accepted write. When it returns, the write survives the end of the process.
    func accept(_ write: QueuedWrite, of owner: StateOwner) throws {
        try list.apply([Self.name(write.id): write.stored], owner: owner)
    }

    /// Appends writes of another file to those of this one.
    func append(_ writes: [QueuedWrite], of owner: StateOwner) throws {
        var next = ids.last ?? 0
        var added: [String: Data?] = [:]
        for write in writes {
            next += 1
            added[Self.name(next)] = write.stored
        }
        try list.apply(added, owner: owner)
    }

    /// Removes ended writes and stores others again, as one change.
    func update(
        removing removed: Set<QueuedWrite.ID>, storing changed: [QueuedWrite] = [], of owner: StateOwner? = nil
    ) throws {
        var writes: [String: Data?] = [:]
        for id in removed where list[Self.name(id)] != nil { writes[Self.name(id)] = .some(nil) }
        for write in changed { writes[Self.name(write.id)] = write.stored }
        try list.apply(writes, owner: owner)
    }

    func synchronize() throws { try list.synchronize() }
}

/// A lock on one of the local files, until it is ended or its process ends.
private final class StateLock: Sendable {
    private let file: SettingsKitPlatform.FileHandle
    private let fileSystem: any FileSystem

    private init(_ file: SettingsKitPlatform.FileHandle, _ fileSystem: any FileSystem) {
        (self.file, self.fileSystem) = (file, fileSystem)
    }

    deinit { fileSystem.close(file) }

    /// - Returns: nil if another store has it.
    static func acquire(_ path: String, _ fileSystem: any FileSystem) throws(SystemError) -> StateLock? {
        let lock = StateLock(try open(path, fileSystem), fileSystem)
        return try fileSystem.lock(lock.file) ? lock : nil
    }

    private static func open(
        _ path: String, _ fileSystem: any FileSystem
    ) throws(SystemError) -> SettingsKitPlatform.FileHandle {
        if try fileSystem.status(of: path, followingLink: false) == nil {
            do throws(SystemError) {
                return try fileSystem.create(path)
            } catch {
                // Another store was faster.
            }
        }
        return try fileSystem.openForAppending(path)
    }

    func end() { fileSystem.unlock(file) }
}

private struct TooManyStores: ValueFreeError {
    var description: String { "A thousand programs already use the folder; give each group of programs another one." }
}

private struct UnreadableWrites: ValueFreeError {
    let count: Int
    var description: String { "\(count) accepted changes cannot be read and are not sent." }
}
