import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A property list and its journal, shared by all stores of the process over one path: what a store does with them.
///
/// Each part owns its state:
///
/// - ``PublishedContents``: the values in memory, and the feed. Reading uses nothing else.
/// - ``PropertyListFiles``: the files and their lock. Inside it, the ``JournalWriter`` appends to the journal, and its
///   ``PropertyListFollower`` reads what others write.
/// - ``PropertyListFolder``: brings the property list up to date.
/// - ``JournalFlusher``: makes the journal survive a power failure.
/// - ``PropertyListWatch``: notices what others write.
///
/// A change locks the files, applies the records of other processes, appends a record, changes memory, and publishes the change.
final class JournaledPropertyList: Sendable {
    let contents: PublishedContents
    let files: PropertyListFiles
    let folder: PropertyListFolder
    private let flusher: JournalFlusher
    private let watch: PropertyListWatch
    private let announcer: ChangeAnnouncer
    private let setup: PropertyListSetup

    init(_ setup: PropertyListSetup) throws {
        let loaded: LoadedPropertyList
        do {
            loaded = try LoadedPropertyList(path: setup.path, fileSystem: setup.fileSystem, store: setup.description)
        } catch {
            throw SettingsError(.storeUnavailable, store: setup.description, underlying: error)
        }
        self.setup = setup
        files = PropertyListFiles(loaded, setup)
        (contents, announcer) = (files.contents, files.announcer)
        folder = PropertyListFolder(files, setup)
        flusher = JournalFlusher(files, setup)
        watch = PropertyListWatch(files, folder, setup)
        folder.begin { [weak self] in try self?.folder.foldNow() }
    }

    var path: String { setup.path }
    var description: String { setup.description }
    var fileSystem: any FileSystem { setup.fileSystem }
    var feed: SettingsStoreFeed { contents.feed }

    /// The time that an operation waits for other processes that keep the files locked.
    var patience: Duration { files.patience }

    /// Adapts to another store over the list: the shortest patience and lag count, and writing is permitted if any store may write.
    func join(isReadOnly: Bool, patience: Duration, lag: Duration?) {
        files.shorten(patience: patience)
        folder.shorten(lag: lag)
        if !isReadOnly { files.withLock { $0.follower.isReadOnly = false } }
    }

    /// Whether the property list was damaged at the last reading.
    var isDamaged: Bool { files.withLock { $0.follower.list.fault == .damaged } }

    /// Whether there was a property list or a journal at the last reading.
    var hasFiles: Bool {
        files.withLock { writer in
            let follower = writer.follower
            return follower.list.status != nil || follower.cursor.journal != nil || follower.cursor.problem != nil
        }
    }

    /// Whether the last change of a name is in the journal, and not in the file yet.
    func isUnfolded(_ name: String) -> Bool {
        return files.withLock { writer in
            let folded = writer.follower.list.folded
            return contents.withLock { $0.isUnfolded(name, folded: folded) }
        }
    }

    // MARK: Changing single values

    /// Stores bytes under a key, or removes it.
    ///
    /// - Throws: `busy` if another process keeps the files locked.
    func set(_ data: Data?, for key: SettingsService.StorageKey) throws {
        try change(named: key.name, waiting: files.patienceOfSet) { $0 == data ? .keep : .store(data) }
    }

    /// A decision about the value under a name.
    enum Decision {
        /// Nothing changes.
        case keep
        /// Stores bytes that differ from the stored ones; nil removes those.
        case store(Data?)
        /// Nothing changes, because an expectation does not hold.
        case refuse
    }

    /// Decides what to store under a name while nothing else can change it, and stores it.
    ///
    /// - Parameters:
    ///   - waiting: The time to wait for another process.
    ///   - decide: Receives the stored bytes.
    /// - Returns: false if `decide` has refused.
    @discardableResult
    func change(
        named name: String, waiting: @autoclosure () -> Duration, _ decide: (Data?) throws -> Decision
    ) throws -> Bool {
        try change(waiting: waiting()) { writer in
            let found = contents.withLock { $0.find(name) }
            switch try decide(found.data) {
            case .keep: return .nothing
            case .refuse: return .refusal
            case .store(let data):
                try contents.requireRoom(for: data, inPlaceOf: found)
                let position = try writer.append(data, named: name)
                contents.replace(found, by: data, at: position)
                return .change
            }
        }
    }

    /// The outcome of an attempt to change something.
    private enum Outcome {
        case change, nothing, refusal
    }

    /// Changes something while no other thread and no other process does, and announces it.
    ///
    /// - Parameters:
    ///   - waiting: The time to wait for another process.
    ///   - make: Appends a record to the journal, and then makes its changes in memory.
    /// - Returns: false if `make` has refused.
    private func change(
        waiting: @autoclosure () -> Duration, _ make: (inout JournalWriter) throws -> Outcome
    ) throws -> Bool {
        let outcome = try files.updateLocked(waiting: waiting()) { try make(&$0) }
        if outcome == .change {
            // The end of the process needs no announcement: closing the journal is one.
            if announcer.announce() { watch.start() }
            folder.schedule()
        }
        return outcome != .refusal
    }

    // MARK: Changing several values

    /// Whether expectations hold for the values in force, at one moment.
    func holds(_ expectations: [SettingsStoreBatch.Entry]) -> Bool {
        contents.withLock { $0.meets(expectations) }
    }

    /// Applies a batch if its expectations hold.
    ///
    /// - Throws: `busy` if another process keeps the files locked.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if batch.writes.count == 1 { return try apply(batch.writes[0], expecting: batch.expectations) }
        let changes = batch.writes.map { JournalChange(name: $0.key.name, data: $0.data) }
        return try change {
            contents.withLock { contents in
                guard contents.meets(batch.expectations) else { return nil }
                return changes.contains { contents.data(named: $0.name) != $0.data } ? changes : []
            }
        }
    }

    /// Applies a single write if expectations hold. Usually there is one, for the same name.
    private func apply(
        _ write: SettingsStoreBatch.Entry, expecting expectations: [SettingsStoreBatch.Entry]
    ) throws -> Bool {
        let name = write.key.name
        return try change(named: name, waiting: patience) { present in
            for expectation in expectations {
                let other = expectation.key.name
                let stored = other == name ? present : contents.withLock { $0.data(named: other) }
                if stored != expectation.data { return .refuse }
            }
            return present == write.data ? .keep : .store(write.data)
        }
    }

    /// Decides about changes while nothing else can change anything, and makes them as one change.
    ///
    /// - Parameters:
    ///   - waiting: The time to wait for another process. Nil for ``patience``.
    ///   - decide: Reads the stored values in ``contents``; returns the changes, if any, or nil to refuse.
    /// - Returns: false if it was refused.
    @discardableResult
    func change(
        waiting: @autoclosure () -> Duration? = nil,
        _ decide: () throws -> [JournalChange]?
    ) throws -> Bool {
        return try change(waiting: waiting() ?? patience) { writer in
            guard let changes = try decide() else { return .refusal }
            guard !changes.isEmpty else { return .nothing }
            try contents.requireRoom(for: changes)
            let position = try writer.append(.changes(changes))
            contents.change(origin: .local) { $0.set(changes, at: position) }
            return .change
        }
    }

    /// Sets members of the property list with their types, and removes names, as one change. Skips members that are already
    /// stored.
    func set(_ edit: PropertyListEdit) throws {
        _ = try change(waiting: patience) { writer in
            var needed = contents.withLock { contents in
                PropertyListEdit(
                    removed: edit.removed.filter { contents.data(named: $0) != nil },
                    members: edit.members.filter { contents.value(named: $0.key) != $0.value.writable })
            }
            guard !needed.isEmpty else { return .nothing }
            try contents.requireRoom(
                for: needed.removed.map { JournalChange(name: $0, data: nil) }
                    + needed.members.map { JournalChange(name: $0.key, data: NativeValue.bytes(of: $0.value)) })
            for index in needed.members.indices { needed.members[index].value = needed.members[index].value.writable }
            let document = try XMLPropertyListWriter.write(needed.members)
            let position = try writer.append(.members(JournalEdit(removed: needed.removed, members: document)))
            contents.change(origin: .local) { $0.set(needed, at: position) }
            return .change
        }
    }

    /// Removes everything.
    func removeAll() throws {
        // Removes recent edits of the property list, too.
        try refresh(waiting: patience)
        // Removed by name: a member that is later added by hand stays, in every process that reads both files.
        let names = names
        try change { names.map { JournalChange(name: $0, data: nil) } }
    }

    // MARK: Reading

    /// The names with a value. Linear time.
    var names: [String] { contents.withLock { $0 }.names }

    /// Returns the bytes under a name.
    func data(named name: String) -> Data? { contents.withLock { $0.data(named: name) } }

    // MARK: Files

    /// Reads changes of the files into memory, and publishes them.
    ///
    /// - Throws: the system's errors. Changes read before the error are kept.
    func refresh(waiting: Duration) throws { try folder.refresh(waiting: waiting) }

    /// Reads the changes of other processes, and returns when every change survives a power failure.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether to write nothing.
    ///   - forOthers: Whether to bring the property list up to date, too.
    func synchronize(isReadOnly: Bool = false, forOthers: Bool = false) throws {
        do {
            try refresh(waiting: patience)
            files.update { writer in
                writer.follower.confirmFaults(atOnce: true)
                if !isReadOnly { writer.follower.isWriting = true }
            }
            if isReadOnly { return }
            if forOthers { try folder.fold(waiting: patience) } else { try flush() }
        } catch {
            throw SettingsError.wrap(error, as: .notSaved, store: description)
        }
    }

    /// Returns when every change made before the call survives a power failure, in the journal or in the property list.
    func flush() throws {
        do {
            if try flusher.flush(waiting: patience) { return }
            try folder.fold(waiting: patience)
        } catch {
            throw SettingsError.wrap(error, as: .notSaved, store: description)
        }
    }
}
