import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The local file of a store: the last known state of the cluster, and accepted writes on which it has not agreed yet.
///
/// It is a property list with a journal, as that of `.defaults` is. Several stores may use one folder, in one process or in
/// several: each has a file of its own, which it keeps locked.
final class LocalState: Sendable {
    private static let knownPrefix = "known:"
    /// Before the revision of a known value.
    private static let writtenPrefix = "written:"
    private static let pendingPrefix = "pending:"
    private static let revisionName = "revision"
    /// How often the cluster was at an earlier revision than before, because it was restored from a backup.
    private static let restorationsName = "restorations"
    /// How many programs can use one folder and prefix at once.
    private static let slotLimit = 1000

    private let list: PropertyListStore
    private let lock: SettingsKitPlatform.FileHandle
    private let fileSystem: any FileSystem

    /// Opens the first file in the folder that no other store uses.
    ///
    /// - Parameter keepsWrites: Whether the store has accepted writes kept. If not, it leaves those that others have left
    ///   behind to another store, which sends them.
    /// - Throws: ``SettingsError`` with the code `storeUnavailable`.
    init(folder: String, prefix: String, keepsWrites: Bool, fileSystem: any FileSystem = POSIXFileSystem()) throws {
        self.fileSystem = fileSystem
        let base = WholeFile.join(folder, "etcd-" + String(Self.hash(prefix), radix: 16))
        do {
            try WholeFile(path: base, fileSystem: fileSystem).createDirectory()
            let slot: Int
            (slot, lock, list) = try Self.openFirst(base, fileSystem) {
                keepsWrites || Self.pendingNames(of: $0).isEmpty
            }
            try learn(from: base, besides: slot, adoptsWrites: keepsWrites)
        } catch {
            throw SettingsError.wrap(error, as: .storeUnavailable, store: "EtcdStore, local state at \(folder)")
        }
    }

    deinit { fileSystem.close(lock) }

    /// Lets another store use the file. Closing it is not enough while a child of a fork has it open, too.
    func unlock() { fileSystem.unlock(lock) }

    /// Unlocks and closes a file.
    private func close(_ lock: SettingsKitPlatform.FileHandle) {
        fileSystem.unlock(lock)
        fileSystem.close(lock)
    }

    private static func path(_ base: String, _ slot: Int) -> String { "\(base)-\(slot).plist" }

    private static func openFirst(
        _ base: String, _ fileSystem: any FileSystem, where isUsable: (PropertyListStore) -> Bool
    ) throws -> (Int, SettingsKitPlatform.FileHandle, PropertyListStore) {
        for slot in 0..<slotLimit {
            guard let file = try lock(base, slot, fileSystem) else { continue }
            do {
                let list = try PropertyListStore(path: path(base, slot), fileSystem: fileSystem)
                if isUsable(list) { return (slot, file, list) }
            } catch {
                fileSystem.close(file)
                throw error
            }
            fileSystem.close(file)
        }
        throw TooManyStores()
    }

    /// Locks a file beside the property list, which is itself replaced now and then.
    private static func lock(_ base: String, _ slot: Int, _ fileSystem: any FileSystem) throws -> SettingsKitPlatform
        .FileHandle?
    {
        let path = "\(base)-\(slot).lock"
        let file: SettingsKitPlatform.FileHandle
        if try fileSystem.status(of: path, followingLink: false) == nil {
            do throws(SystemError) {
                file = try fileSystem.create(path)
            } catch {
                // Another store was faster.
                file = try fileSystem.openForAppending(path)
            }
        } else {
            file = try fileSystem.openForAppending(path)
        }
        do throws(SystemError) {
            if try fileSystem.lock(file) { return file }
        } catch {
            fileSystem.close(file)
            throw error
        }
        fileSystem.close(file)
        return nil
    }

    /// Takes over the newest known state of all files, and the pending writes of stores that have ended.
    private func learn(from base: String, besides own: Int, adoptsWrites: Bool) throws {
        var slot = 0
        while slot < Self.slotLimit,
            try fileSystem.status(of: Self.path(base, slot), followingLink: false) != nil
                || fileSystem.status(of: "\(base)-\(slot).lock", followingLink: false) != nil
        {
            defer { slot += 1 }
            if slot == own { continue }
            let lock = try Self.lock(base, slot, fileSystem)
            defer { if let lock { close(lock) } }
            let other = try PropertyListStore(
                path: Self.path(base, slot), fileSystem: fileSystem, access: lock == nil ? .readOnly : .readWrite)
            try takeKnown(of: other)
            guard adoptsWrites, lock != nil else { continue }
            let names = Self.pendingNames(of: other)
            if names.isEmpty { continue }
            var next = (Self.pendingNames(of: list).last.map { Self.id(of: $0) } ?? 0) + 1
            var writes: [SettingsStoreBatch.Entry] = []
            for name in names {
                writes.append(.init(key: Self.key(Self.pendingName(next)), data: other.get(Self.key(name))))
                next += 1
            }
            _ = try list.apply(SettingsStoreBatch(writes: writes))
            // If the process ends in between, the writes are sent twice, and the second time they change nothing.
            _ = try other.apply(SettingsStoreBatch(writes: names.map { .init(key: Self.key($0), data: nil) }))
        }
    }

    /// Takes over what another file knows that is newer: all of it, or single values that were seen ahead of the rest.
    private func takeKnown(of other: PropertyListStore) throws {
        let (own, others) = (Self.age(of: list), Self.age(of: other))
        guard others.restorations >= own.restorations else { return }
        let isNewer = others > own
        var names: Set<String> = isNewer ? Set(other.keys() + list.keys()) : []
        if others.restorations == own.restorations {
            for name in other.keys() + list.keys() where name.hasPrefix(Self.writtenPrefix) {
                let (ownNumber, othersNumber) = (Self.number(name, in: list), Self.number(name, in: other))
                let known = Self.knownPrefix + name.dropFirst(Self.writtenPrefix.count)
                if isNewer, ownNumber > others.revision, ownNumber >= othersNumber { names.subtract([name, known]) }
                if !isNewer, othersNumber > own.revision, othersNumber > ownNumber { names.formUnion([name, known]) }
            }
        }
        let writes = names.filter { !$0.hasPrefix(Self.pendingPrefix) }
            .map { SettingsStoreBatch.Entry(key: Self.key($0), data: other.get(Self.key($0))) }
        if !writes.isEmpty { _ = try list.apply(SettingsStoreBatch(writes: writes)) }
    }

    /// How new the known state of a file is.
    private struct Age: Comparable {
        var restorations: Int64
        var revision: Int64

        static func < (one: Age, other: Age) -> Bool {
            (one.restorations, one.revision) < (other.restorations, other.revision)
        }
    }

    private static func age(of list: PropertyListStore) -> Age {
        Age(restorations: number(restorationsName, in: list), revision: number(revisionName, in: list))
    }

    // MARK: Reading

    /// The last known state of the cluster.
    func known(in range: KeyRange) -> [String: ClusterContents.Known] {
        var known: [String: ClusterContents.Known] = [:]
        for name in knownNames {
            guard let data = list.get(Self.key(Self.knownPrefix + name)) else { continue }
            let revision = Self.number(Self.writtenPrefix + name, in: list)
            known[name] = .init(key: range.key(of: name), data: data, modRevision: revision)
        }
        return known
    }

    private var knownNames: [String] {
        list.keys().filter { $0.hasPrefix(Self.knownPrefix) }.map { String($0.dropFirst(Self.knownPrefix.count)) }
    }

    /// The number under a name; 0 if there is none.
    private static func number(_ name: String, in list: PropertyListStore) -> Int64 {
        list.get(key(name)).flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    /// The revision of the last known state; 0 if there is none.
    var revision: Int64 { Self.number(Self.revisionName, in: list) }

    /// Accepted writes of earlier runs, in their order.
    func pending() -> [QueuedWrite] {
        Self.pendingNames(of: list).compactMap { name in
            list.get(Self.key(name)).flatMap { QueuedWrite(Self.id(of: name), stored: $0) }
        }
    }

    private static func pendingNames(of list: PropertyListStore) -> [String] {
        list.keys().filter { $0.hasPrefix(pendingPrefix) }.sorted { id(of: $0) < id(of: $1) }
    }

    // MARK: Writing

    /// Stores an accepted write. When it returns, the write survives the end of the process.
    func accept(_ write: QueuedWrite) throws {
        try list.set(Self.key(Self.pendingName(write.id)), to: write.stored)
    }

    /// What has changed since the file was written.
    struct Update {
        /// The writes that have ended.
        var removed: Set<QueuedWrite.ID> = []
        /// The accepted writes whose bases have changed.
        var rebased: [QueuedWrite] = []
        /// What the cluster holds now under some names.
        var known: [String: ClusterContents.Known?] = [:]
        /// The revisions at which some of them were seen to have no value, ahead of ``revision``.
        var absent: [String: Int64] = [:]
        var revision: Int64?
        /// How often the cluster was at an earlier revision than before.
        var restorations: Int64?
    }

    func update(_ update: Update, keepsWrites: Bool = true) throws {
        func number(_ number: Int64?) -> Data? { number.map { Data("\($0)".utf8) } }
        var writes = update.removed.map { SettingsStoreBatch.Entry(key: Self.key(Self.pendingName($0)), data: nil) }
        for write in update.rebased where keepsWrites {
            writes.append(.init(key: Self.key(Self.pendingName(write.id)), data: write.stored))
        }
        for (name, known) in update.known {
            writes.append(.init(key: Self.key(Self.knownPrefix + name), data: known?.data))
            let revision = known?.modRevision ?? update.absent[name]
            writes.append(.init(key: Self.key(Self.writtenPrefix + name), data: number(revision)))
        }
        for (name, value) in [(Self.revisionName, update.revision), (Self.restorationsName, update.restorations)] {
            if let value { writes.append(.init(key: Self.key(name), data: number(value))) }
        }
        if !writes.isEmpty { _ = try list.apply(SettingsStoreBatch(writes: writes)) }
    }

    /// Stores the whole state of the cluster.
    func replaceKnown(with known: [String: ClusterContents.Known], revision: Int64) throws {
        var update = Update(revision: revision)
        for name in list.keys() where name.hasPrefix(Self.writtenPrefix) {
            update.known[String(name.dropFirst(Self.writtenPrefix.count))] = .some(nil)
        }
        for (name, known) in known { update.known[name] = .some(known) }
        let age = Self.age(of: list)
        if revision < age.revision { update.restorations = age.restorations + 1 }
        try self.update(update)
    }

    // MARK: Names

    private static func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }

    private static func pendingName(_ id: QueuedWrite.ID) -> String { "\(pendingPrefix)\(id)" }

    private static func id(of name: String) -> QueuedWrite.ID {
        QueuedWrite.ID(name.dropFirst(pendingPrefix.count)) ?? 0
    }

    /// The 64-bit FNV-1a hash.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

private struct TooManyStores: ValueFreeError {
    var description: String { "A thousand programs use the folder; give each group of them another." }
}
