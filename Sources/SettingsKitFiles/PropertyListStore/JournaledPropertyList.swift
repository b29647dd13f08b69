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
/// - ``PendingWrites``: what waits while another process has the files locked. Only ``set(_:for:)`` and ``apply(_:)`` keep writes.
/// - ``PropertyListFolder``: brings the property list up to date.
/// - ``JournalFlusher``: makes the journal survive a power failure.
/// - ``PropertyListWatch``: notices what others write.
///
/// A change locks the files, applies the records of other processes, appends a record, changes memory, and publishes the change.
final class JournaledPropertyList: DeferringStore {
    let pending: PendingWrites
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
        pending = PendingWrites(contents.feed, .background)
        folder = PropertyListFolder(files, setup)
        flusher = JournalFlusher(files, setup)
        watch = PropertyListWatch(files, folder, setup)
        folder.begin { [weak self] in try self?.finish() }
    }

    /// Stores the pending writes, and brings the property list up to date, when the process exits.
    private func finish() throws {
        try storePending(waiting: patience)
        try folder.foldNow()
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
        if pending.contains(name) { return true }
        return files.withLock { writer in
            let folded = writer.follower.list.folded
            return contents.withLock { $0.isUnfolded(name, folded: folded) }
        }
    }

    // MARK: Changing single values

    /// Stores bytes under a key, or removes it. If another process keeps the files locked, the change is kept, and stored
    /// later.
    func set(_ data: Data?, for key: SettingsService.StorageKey) throws {
        do {
            try storePending(waiting: .zero)
            try change(named: key.name, waiting: pending.waiting(patience)) { $0 == data ? .keep : .store(data) }
        } catch SettingsError.Code.busy {
            try keep([.init(key: key, data: data)])
        }
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
        pending.hold(expectations) { others in
            contents.withLock { $0.meets(others) }
        }
    }

    /// Applies a batch if its expectations hold. If another process keeps the files locked, a batch without expectations whose
    /// caller does not wait is kept, and stored later.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try applyOrKeep(batch, patience: patience) { try apply(batch, waiting: $0, if: $1) }
    }

    /// - Parameter requirement: Called while nothing else can change anything.
    private func apply(
        _ batch: SettingsStoreBatch, waiting: Duration, if requirement: () throws -> Void
    ) throws -> Bool {
        if batch.writes.count == 1 {
            return try apply(batch.writes[0], expecting: batch.expectations, waiting: waiting, if: requirement)
        }
        let changes = batch.writes.map { JournalChange(name: $0.key.name, data: $0.data) }
        return try change(waiting: waiting) {
            try requirement()
            return contents.withLock { contents in
                guard contents.meets(batch.expectations) else { return nil }
                return changes.contains { contents.data(named: $0.name) != $0.data } ? changes : []
            }
        }
    }

    /// Applies a single write if expectations hold. Usually there is one, for the same name.
    private func apply(
        _ write: SettingsStoreBatch.Entry, expecting expectations: [SettingsStoreBatch.Entry], waiting: Duration,
        if requirement: () throws -> Void
    ) throws -> Bool {
        let name = write.key.name
        return try change(named: name, waiting: waiting) { present in
            try requirement()
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
    ///   - origin: The origin of the change, for listeners.
    ///   - waiting: The time to wait for another process. Nil for ``patience``.
    ///   - decide: Reads the stored values in ``contents``; returns the changes, if any, or nil to refuse.
    /// - Returns: false if it was refused.
    @discardableResult
    func change(
        origin: SettingsService.Origin = .local, waiting: @autoclosure () -> Duration? = nil,
        _ decide: () throws -> [JournalChange]?
    ) throws -> Bool {
        if setup.isDetached { return try changeMemory(origin: origin, decide) }
        return try change(waiting: waiting() ?? patience) { writer in
            guard let changes = try decide() else { return .refusal }
            guard !changes.isEmpty else { return .nothing }
            try contents.requireRoom(for: changes)
            let position = try writer.append(.changes(changes))
            contents.change(origin: origin) { $0.set(changes, at: position) }
            return .change
        }
    }

    /// Makes changes in memory only, after those in the journal so far.
    private func changeMemory(
        origin: SettingsService.Origin, _ decide: () throws -> [JournalChange]?
    ) throws -> Bool {
        try files.update { writer in
            try writer.follower.catchUp()
            guard let changes = try decide() else { return false }
            // The position is after all journals, so that an edit of the file does not replace the change.
            contents.change(origin: origin) { $0.set(changes, at: .max) }
            return true
        }
    }

    /// Sets members of the property list with their types, and removes names, as one change. Skips members that are already
    /// stored.
    func set(_ edit: PropertyListEdit) throws {
        try storingPending(waiting: patience) { try setNow(edit) }
    }

    private func setNow(_ edit: PropertyListEdit) throws {
        _ = try change(waiting: patience) { writer in
            try pending.requireNone()
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
        try storingPending(waiting: patience) {
            // Removes recent edits of the property list, too.
            try refresh(waiting: patience)
            // Removed by name: a member that is later added by hand stays, in every process that reads both files.
            let names = contents.withLock { $0 }.names
            try change {
                try pending.requireNone()
                return names.map { JournalChange(name: $0, data: nil) }
            }
        }
    }

    // MARK: Pending writes

    var hindrance: any Error { JournalProblem.locked }

    /// The names with a value in force. Linear time.
    var names: [String] { pending.names(over: { contents.withLock { $0 } }, in: { $0.names }) }

    func storedData(named name: String) -> Data? { contents.withLock { $0.data(named: name) } }

    func requireRoom(for writes: [SettingsStoreBatch.Entry]) throws {
        try contents.requireRoom(
            for: writes.map { JournalChange(name: $0.key.name, data: $0.data) },
            beside: pending.size(beside: Set(writes.map(\.key.name))).bytes)
    }

    func store(waiting: Duration, _ writes: () -> [SettingsStoreBatch.Entry]) throws {
        try change(waiting: waiting) {
            contents.withLock { contents in
                writes().filter { contents.data(named: $0.key.name) != $0.data }
                    .map { JournalChange(name: $0.key.name, data: $0.data) }
            }
        }
    }

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
            try storePending(waiting: patience)
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
