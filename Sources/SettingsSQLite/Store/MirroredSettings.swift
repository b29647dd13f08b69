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
/// It has two locks. `access` is held while the database is used, and orders the changes. `contents` is held for a
/// moment inside it.
final class MirroredSettings: Sendable {
    private struct Access {
        var connection: Connection
        /// SQLite's number for the state in `contents`.
        var version: Int64?
    }

    /// How long a write waits for other processes, and for writes of this one that wait for them.
    static let patience = Duration.seconds(3)

    let feed = SettingsStoreFeed()
    let description: String
    let path: String
    private let layout: any SettingsLayout
    private let patience: Duration
    private let isReadOnly: Bool
    private let contents = Mutex<[String: Data]>([:])
    private let access: Mutex<Access>
    private let watch = Mutex<DatabaseWatch?>(nil)

    /// Opens a database, and creates missing parts, unless it is only read.
    init(
        path: String, layout: some SettingsLayout, description: String, isReadOnly: Bool = false, isWatching: Bool,
        patience: Duration = MirroredSettings.patience
    ) throws {
        self.path = path
        self.layout = layout
        self.description = description
        self.patience = patience
        self.isReadOnly = isReadOnly
        if path != Connection.inMemory {
            try isReadOnly
                ? DatabaseFile.requireFile(path, store: description) : DatabaseFile.make(path, store: description)
        }
        let connection = try Connection(
            path: path, isReadOnly: isReadOnly, patience: patience, description: description)
        try layout.prepare(connection, isTableRequired: isReadOnly)
        // Not before: a database that is refused stays unchanged, its journal mode included.
        if !isReadOnly { try connection.useWriteAheadLog(patience: patience) }
        access = Mutex(Access(connection: connection, version: nil))
        try access.withLock { access in try refresh(&access) }
        guard isWatching else { return }
        let watch = DatabaseWatch(path: path) { [weak self] in
            try self?.poll() ?? false
        } report: { [weak self] error in
            guard let self else { return }
            feed.report(.wrap(error, as: .readFailed, store: description))
        }
        self.watch.withLock { $0 = watch }
        watch.start()
    }

    private func connect() throws -> Connection {
        let connection = try Connection(
            path: path, isReadOnly: isReadOnly, patience: patience, description: description)
        if !isReadOnly { try connection.useWriteAheadLog(patience: patience) }
        return connection
    }

    // MARK: Reading

    func data(named name: String) -> Data? { contents.withLock { $0[name] } }

    var names: [String] { contents.withLock { Array($0.keys) } }

    // MARK: Writing

    /// Makes the writes that `decide` returns for the present contents, in one transaction.
    ///
    /// - Parameters:
    ///   - isWriting: False if it is known that there are no writes.
    ///   - decide: Called with the lock held. Returns nil to write nothing.
    /// - Returns: false if `decide` returned nil.
    func change(
        isWriting: Bool = true, _ decide: ([String: Data]) -> [SettingsStoreBatch.Entry]?
    ) throws -> Bool {
        if isWriting {
            if isReadOnly { throw SettingsError(.readOnly, store: description) }
            try AccessMark.requireOutside(store: description)
        }
        // From now on, because the lock may be held by a thread that waits for another process.
        let limits = AccessLimits(deadline: Deadline(after: patience))
        // Also after an error: changes of other processes may have been read.
        defer { afterAccess() }
        return try access.withLock { access in
            try reconnectInChild(&access)
            let connection = access.connection
            if isWriting { try connection.requireSameFile() }
            connection.apply(limits)
            defer { connection.liftLimits() }
            try connection.begin(writing: isWriting)
            do {
                try follow(&access)
                let writes = contents.withLock { contents in decide(contents).map { contents.differences($0) } }
                guard let writes, !writes.isEmpty else {
                    connection.rollBack()
                    return writes != nil
                }
                let changes = try layout.write(writes, on: connection)
                try connection.commit()
                take(changes, origin: .local)
            } catch {
                connection.rollBack()
                throw error
            }
            watch.withLock { $0 }?.announce()
            return true
        }
    }

    /// Reads what other processes have committed, and returns when all changes so far survive a power failure.
    func synchronize() throws {
        try AccessMark.requireOutside(store: description)
        defer { afterAccess() }
        try access.withLock { access in
            try reconnectInChild(&access)
            try access.connection.requireSameFile()
            if !isReadOnly { try access.connection.synchronize() }
            try refresh(&access)
        }
    }

    // MARK: Changes of other processes

    /// Reads what other processes have committed since the last time.
    func refresh() throws {
        defer { afterAccess() }
        try access.withLock { access in try refreshWhole(&access) }
    }

    private func refreshWhole(_ access: inout Access) throws {
        try reconnectInChild(&access)
        try access.connection.requireSameFile()
        try refresh(&access)
    }

    private func afterAccess() {
        feed.flush()
        watch.withLock { $0 }?.didEndUse()
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
        let changes = try layout.changes(since: contents.withLock { $0 }, on: access.connection)
        access.version = version
        take(changes, origin: .external)
    }

    private func take(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        contents.withLock { contents in
            for change in changes {
                // A dictionary keeps the first spelling of a name, and others may have changed the spelling.
                if origin == .external { contents[change.name] = nil }
                contents[change.name] = change.newData
            }
        }
        feed.publish(changes, origin: origin)
    }

    /// Reads what other processes have committed, unless the database is in use: then it is polled afterwards.
    private func poll() throws -> Bool {
        let watch = watch.withLock { $0 }
        // Only after a change: `set` returns after its own listeners were called, unless they are called from here.
        var mayHaveChanged = true
        defer { if mayHaveChanged { feed.flush() } }
        watch?.deferPoll()
        let hasChanged = try access.withLockIfAvailable { access in
            watch?.resumePoll()
            let version = access.version
            try refreshWhole(&access)
            return access.version != version
        }
        mayHaveChanged = hasChanged ?? false
        return hasChanged != nil
    }

    /// A child made by `fork` must not use the connection that it has inherited.
    private func reconnectInChild(_ access: inout Access) throws {
        guard access.connection.isInherited else { return }
        access.connection.close()
        access = Access(connection: try connect(), version: nil)
    }
}

extension [String: Data] {
    /// The differences after the writes, each name once and in its present spelling, if it has one.
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
