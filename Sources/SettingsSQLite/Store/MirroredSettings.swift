import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Settings in a database, with a copy in memory. The stores of this module use it.
///
/// It has two locks. `access` is held while the database is used, and orders the commits. `contents` is held briefly inside it,
/// or alone, and orders the published changes.
final class MirroredSettings: Sendable {
    struct Access {
        let connection: Connection
        /// SQLite's number for the state in `contents`.
        var version: Int64?
        /// The time until which `set` does not wait, because a write has waited in vain.
        var hasteEnd: Deadline?
    }

    let feed = SettingsStoreFeed()
    let description: String
    let path: String
    private let layout: any SettingsLayout
    private let patience: Duration
    private let isReadOnly: Bool
    /// The stored values, as far as they are known.
    private let contents = Mutex<[String: Data]>([:], .store)
    let access: Mutex<Access>
    private let watch = Mutex<DatabaseWatch?>(nil, .leaf)

    /// Opens a database, and creates missing parts unless the database is only read.
    init(
        path: String, layout: some SettingsLayout, description: String, isReadOnly: Bool = false, isWatching: Bool,
        patience: Duration = SQLiteTimings.patience
    ) throws {
        self.path = path
        self.layout = layout
        self.description = description
        self.patience = patience
        self.isReadOnly = isReadOnly
        let connection = try Connection(
            path: path, isReadOnly: isReadOnly, patience: patience, description: description)
        try layout.prepare(connection)
        // Not earlier: a refused database must stay unchanged, including its journal mode.
        try connection.useWriteAheadLog()
        access = Mutex(Access(connection: connection, version: nil), .store)
        try access.withLock { access in try refresh(&access) }
        guard isWatching else { return }
        let watch = DatabaseWatch(path: path) { [weak self] in
            try self?.poll()
        } report: { [weak self] error in
            guard let self else { return }
            feed.report(.wrap(error, as: .readFailed, store: description))
        }
        self.watch.withLock { $0 = watch }
        watch.start()
    }

    // MARK: Reading

    func data(named name: String) -> Data? { contents.withLock { $0[name] } }

    var names: [String] { contents.withLock { Array($0.keys) } }

    // MARK: Writing

    /// Stores bytes under a key, or removes it.
    ///
    /// After `busy`, it does not wait for a while: a form of twenty settings would freeze for twenty times the patience.
    func set(_ data: Data?, for key: SettingsService.StorageKey) throws {
        _ = try change(isSet: true) { _ in [.init(key: key, data: data)] }
    }

    /// Applies a batch if its expectations hold.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if batch.writes.isEmpty { return contents.withLock { contents in batch.expectations.hold { contents[$0] } } }
        return try change { contents in batch.expectations.hold { contents[$0] } ? batch.writes : nil }
    }

    /// Removes all settings.
    func removeAll() throws {
        _ = try change { contents in
            contents.keys.filter(SettingsService.StorageKey.isValid).map {
                .init(key: .init($0, scope: .defaults), data: nil)
            }
        }
    }

    /// Makes the writes that `decide` returns for the stored values, in one transaction.
    ///
    /// - Parameter decide: Called with the lock held. Returns nil to write nothing.
    /// - Returns: false if `decide` returned nil.
    private func change(
        isSet: Bool = false, _ decide: @Sendable ([String: Data]) -> [SettingsStoreBatch.Entry]?
    ) throws -> Bool {
        if isReadOnly { throw SettingsError(.readOnly, store: description) }
        try AccessMark.requireOutside(store: description)
        // Counted from now, because a thread that waits for another process may hold the lock.
        let deadline = Deadline(after: patience)
        // Needed after an error, too: changes of other processes may have been read.
        defer { feed.flush() }
        return try access.withLock { access in
            let isHasty = isSet && access.hasteEnd?.hasPassed == false
            do {
                return try change(&access, isHasty ? Deadline(after: .zero) : deadline, decide)
            } catch let error as SettingsError where error.code == .busy {
                access.hasteEnd = Deadline(after: SQLiteTimings.hasteAfterBusy)
                throw error
            }
        }
    }

    /// The same while the lock is held.
    private func change(
        _ access: inout Access, _ deadline: Deadline,
        _ decide: @Sendable ([String: Data]) -> [SettingsStoreBatch.Entry]?
    ) throws -> Bool {
        let connection = access.connection
        try connection.requireSameFile()
        try connection.within(AccessLimits(deadline: deadline)) { try connection.begin(writing: true) }
        // Has no effect after the commit.
        defer { connection.rollBack() }
        try follow(&access)
        let writes = contents.withLock { contents in decide(contents).map { contents.differences($0) } }
        guard let writes, !writes.isEmpty else { return writes != nil }
        let changes = try layout.write(writes, on: connection)
        try connection.commit()
        contents.withLock { contents in
            for change in changes { contents[change.name] = change.newData }
            feed.publish(changes, origin: .local)
        }
        watch.withLock { $0 }?.announce()
        return true
    }

    /// Reads what other processes have committed, and returns when all changes so far survive a power failure.
    func synchronize() throws {
        try AccessMark.requireOutside(store: description)
        defer { feed.flush() }
        try access.withLock { access in
            try access.connection.requireSameFile()
            if !isReadOnly { try access.connection.synchronize() }
            try refresh(&access)
        }
    }

    // MARK: Changes of other processes

    /// Reads what other processes have committed since the last time.
    func refresh() throws {
        defer { feed.flush() }
        try access.withLock { access in try refreshWhole(&access) }
    }

    private func refreshWhole(_ access: inout Access) throws {
        try access.connection.requireSameFile()
        try refresh(&access)
    }

    private func refresh(_ access: inout Access) throws {
        if try access.connection.dataVersion() == access.version { return }
        let connection = access.connection
        try connection.transaction(writing: false) { try follow(&access) }
    }

    /// The same inside a transaction, in which the database no longer changes.
    private func follow(_ access: inout Access) throws {
        let version = try access.connection.dataVersion()
        if version == access.version { return }
        let stored = try layout.contents(on: access.connection)
        access.version = version
        let changes = contents.withLock { $0 }.changes(to: stored)
        contents.withLock { contents in
            contents = stored
            feed.publish(changes, origin: .external)
        }
    }

    /// Reads the commits of other processes.
    ///
    /// - Throws: `busy` while the database is in use.
    private func poll() throws {
        // Only after a change: `set` returns after its own listeners were called, unless they are called from here.
        var mayHaveChanged = true
        defer { if mayHaveChanged { feed.flush() } }
        let hasChanged = try access.withLockIfAvailable { access in
            let version = access.version
            try refreshWhole(&access)
            return access.version != version
        }
        mayHaveChanged = hasChanged ?? false
        if hasChanged == nil { throw SettingsError(.busy, store: description) }
    }
}

extension [String: Data] {
    /// The changes that make other values of these.
    func changes(to new: [String: Data]) -> [SettingsStoreChange] {
        let gone = keys.filter { new[$0] == nil }
        return (gone + new.keys).compactMap { name in
            let (old, new) = (self[name], new[name])
            return old == new ? nil : .init(name: name, from: old, to: new)
        }
    }

    /// The differences after the writes, each name once and in its current spelling, if it has one.
    fileprivate func differences(_ writes: [SettingsStoreBatch.Entry]) -> [SettingsStoreChange] {
        if writes.count == 1 { return difference(writes[0]).map { [$0] } ?? [] }
        var last: [String: Int] = [:]
        for (position, write) in writes.enumerated() { last[write.key.name] = position }
        return writes.enumerated().compactMap { position, write in
            last[write.key.name] == position ? difference(write) : nil
        }
    }

    private func difference(_ write: SettingsStoreBatch.Entry) -> SettingsStoreChange? {
        guard let index = index(forKey: write.key.name) else {
            return write.data.map { .init(name: write.key.name, from: nil, to: $0) }
        }
        let (name, old) = self[index]
        return old == write.data ? nil : .init(name: name, from: old, to: write.data)
    }
}

/// The layout of settings in a database.
protocol SettingsLayout: Sendable {
    /// Creates missing parts in the database, unless it is only read; writes nothing if all exist.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedTable` or `newerVersion`.
    func prepare(_ connection: Connection) throws

    /// The stored values, by name.
    func contents(on connection: Connection) throws -> [String: Data]

    /// Stores or removes data under names, inside a transaction that writes.
    ///
    /// - Parameter writes: The values that differ from the stored ones, each name once, in its stored spelling if it has one.
    /// - Returns: the changes.
    func write(_ writes: [SettingsStoreChange], on connection: Connection) throws -> [SettingsStoreChange]
}
