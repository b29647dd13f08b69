import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cache of one record: the decoded value, over the fields' bytes.
@usableFromInline final class CachedRecord<Record: SettingsRecord>: TrackedValue {
    let fields: RecordFields
    @usableFromInline let decoded = RecordValue<Record>()
    @usableFromInline let trackers = ValueTrackers()
    /// The row of the cached record that this process has written, so that the next change need not encode it. A change takes it.
    ///
    /// The closure returns it.
    private let writtenRow = Mutex<(row: @Sendable () -> SettingsRow, token: UInt64)?>(nil, .leaf)

    private var connection: ScopeConnection { fields.connection }

    /// - Throws: ``SettingsError`` if the empty record cannot be encoded, or if no record can be created from it.
    init(name: String?, scope: SettingsService.Scope, in service: SettingsService) throws(SettingsError) {
        let layout = RecordLayout.of(Record.self)
        fields = try RecordFields(named: name, typeName: "\(Record.self)", scope: scope, in: service, layout, decoded) {
            try layout.declaredRow(of: Record.empty)
        }
        // Reads all fields, so that their changes are received from the beginning.
        if let error = try load(from: RecordSource(fields, known: [:], readsStore: false)).problem { throw error }
    }

    // MARK: Reading

    /// Returns the record: from memory if it is cached, otherwise from the store.
    @inlinable @inline(__always) func value() -> Record {
        // Without counting references, which takes longer than reading: this object holds the value, and the caller this
        // object.
        Unmanaged.passUnretained(decoded)._withUnsafeGuaranteedRef { $0.cached.read() } ?? refreshedValue()
    }

    @usableFromInline @inline(never) func refreshedValue() -> Record {
        do throws(SettingsError) {
            return try current().record()
        } catch {
            connection.diagnostics.reportOnce(error)
            return .empty
        }
    }

    /// A record and the bytes from which it was created.
    struct Loaded {
        /// The record; nil if the stored fields are no record.
        let content: Record?
        /// Why the stored fields are no record.
        let problem: SettingsError?
        let fields: LoadedFields
        /// The token of the cached record. Nil if it was not cached.
        var token: UInt64?

        func record() throws(SettingsError) -> Record {
            guard let content else { throw problem ?? SettingsError(.decodingFailed) }
            return content
        }
    }

    /// The source of the current record, if the store publishes all of its changes.
    enum Origin {
        /// The cache, if it has the record.
        case cache
        /// The bytes that the store has published.
        case publishedBytes
        /// The store.
        case store
    }

    /// Returns the stored record: all fields from one moment, if the store publishes all of its changes.
    ///
    /// - Throws: the error if the store cannot be read.
    func current(from origin: Origin = .publishedBytes) throws(SettingsError) -> Loaded {
        let row = fields.row
        var attempts = 0
        while true {
            attempts += 1
            let isLastAttempt = attempts >= CoreLimits.readingAttempts
            let (record, snapshot, token, isExhaustive) = connection.betweenCommits {
                // The record is read first: another thread may complete the bytes and cache a record of them at any time.
                let record = origin == .cache ? decoded.cached.read() : nil
                return (record, row.snapshot, decoded.cached.token, connection.isExhaustive)
            }
            // A cached record was created from bytes in the snapshot: a commit would have invalidated it.
            if isExhaustive, let record {
                return Loaded(content: record, problem: nil, fields: snapshot.loaded, token: token)
            }
            let usesKnown = isExhaustive && (origin != .store || isLastAttempt)
            let source = RecordSource(fields, known: usesKnown ? snapshot.fields : [:])
            let loaded = try load(from: source)
            if isExhaustive { row.complete(source.read, loaded.fields, generation: snapshot.generation) }
            // Values that were read beside the known ones may be of another moment. If the store publishes all of its changes, they
            // are known the next time, so the loop ends.
            if !source.read.isEmpty, decoded.cached.token != token, isExhaustive || !isLastAttempt { continue }
            // A token is odd while no value is cached.
            if isExhaustive, let record = loaded.content { decoded.cached.publish(record, token: token) }
            return loaded
        }
    }

    private func load(from source: RecordSource) throws(SettingsError) -> Loaded {
        var record: Record?
        let problem = try source.load { record = try Record.load(from: $0) }
        return Loaded(content: problem == nil ? record : nil, problem: problem, fields: source.loaded)
    }

    // MARK: Writing

    private var writer: RecordWriter {
        RecordWriter(fields: fields) { () throws(SettingsError) in
            try self.current(from: .store).fields.disregardedLocks
        }
    }

    /// Returns the row of a record that was loaded.
    private func row(of old: Record, _ loaded: Loaded, _ writer: RecordWriter) throws(SettingsError) -> SettingsRow {
        let written = writtenRow.withLock { written in
            defer { written = nil }
            return written
        }
        if let written, written.token == loaded.token { return written.row() }
        return try writer.row(old.save)
    }

    /// Changes the record, and writes the fields that differ, unless the stored bytes of one of them are no value: it would be
    /// calculated from the empty record's.
    ///
    /// - Parameter body: May be called more than once.
    /// - Returns: The result of the call that was applied, or the error because of which nothing was changed.
    func update<R, E: Error>(_ body: (inout Record) throws(E) -> R) throws(E) -> (result: R?, error: SettingsError?) {
        var outcome: Result<R, E>?
        let writer = writer
        var new: Record?
        var newRow: SettingsRow?
        do throws(SettingsError) {
            try connection.requireStore().requireOpen(toCalculateFrom: fields.recordKey)
            let change = try writer.commit(.ofSave) { () throws(SettingsError) in
                let loaded = try current(from: .cache)
                let old = try loaded.record()
                var changed = old
                HeldLocks.requireNone(before: "the closure of an update")
                do throws(E) {
                    outcome = .success(try body(&changed))
                } catch {
                    outcome = .failure(error)
                    return nil
                }
                let (oldRow, row) = (try row(of: old, loaded, writer), try writer.row(changed.save))
                new = changed
                newRow = row
                let change = FieldChange(
                    loaded: loaded.fields, writes: try writer.writes(from: oldRow, to: row), isWhole: true)
                try writer.requireReadable(change)
                return change
            }
            keep(new, newRow, after: change)
        } catch {
            return (nil, error)
        }
        return (try outcome?.get(), nil)
    }

    /// Sets a field, whichever value it had.
    func set<Field>(_ keyPath: WritableKeyPath<Record, Field>, to value: Field) throws(SettingsError) {
        // Other fields may change meanwhile: the write does not depend on them, unless the property is computed from several.
        let isStored = MemoryLayout<Record>.offset(of: keyPath) != nil
        let writer = writer
        var new: Record?
        var newRow: SettingsRow?
        let change = try writer.commit(.ofSet) { () throws(SettingsError) in
            let loaded = try current(from: .cache)
            let old = try loaded.record()
            var changed = old
            HeldLocks.requireNone(before: "a key path")
            changed[keyPath: keyPath] = value
            let (oldRow, row) = (try row(of: old, loaded, writer), try writer.row(changed.save))
            new = changed
            newRow = row
            var writes = try writer.writes(from: oldRow, to: row)
            let isField = isStored || writes.count == 1 && writer.isField(writes[0], holding: value)
            if !writer.isOpen {
                writes = try writer.keptWrites(
                    writes,
                    all: { () throws(SettingsError) in
                        let all = try writer.writes(from: oldRow, to: row, and: Set(fields.names))
                        return isStored ? all : all.filter { fields.layout.attributes[$0.name] != nil }
                    },
                    setting: { isField || writes.isEmpty ? try FieldEncoding.data(of: value) : nil }, loaded.fields)
            } else if writes.isEmpty, !loaded.fields.rejected.isEmpty {
                // The value that is in force replaces bytes that are no value.
                writes = try writer.writes(
                    try writer.writes(from: oldRow, to: row, and: loaded.fields.rejected),
                    setting: { try FieldEncoding.data(of: value) })
            }
            return FieldChange(loaded: loaded.fields, writes: writes, isWhole: !isField)
        }
        keep(new, newRow, after: change)
    }

    /// Caches a record that was written, unless the fields hold other values by now. So it need not be decoded again.
    private func keep(_ record: Record?, _ newRow: SettingsRow?, after change: FieldChange?) {
        guard fields.isWhollySaved, let record, let newRow, let change else { return }
        let token = connection.betweenCommits {
            connection.isExhaustive && fields.row.holds(change) ? decoded.cached.token : nil
        }
        // An even token: another thread has already read and cached the record.
        guard let token, token & 1 == 1 else { return }
        decoded.cached.publish(record, token: token)
        // nonisolated(unsafe): its values are the record's, which is `Sendable`, or were created for the row, which one thread at a
        // time uses.
        nonisolated(unsafe) let row = newRow
        let written = (row: { @Sendable in row }, token: CachedValue<Record>.token(afterPublishing: token))
        // Another thread's row is not released inside the lock.
        writtenRow.withLock { if $0 == nil { $0 = written } }
    }

    /// Replaces the record, including fields whose stored bytes are no value.
    ///
    /// A store that is not open yet keeps the change if the options allow it, and throws otherwise.
    func replace(by record: Record, _ options: SettingsStoreBatch.Options) throws(SettingsError) {
        if !options.isKept { try connection.requireStore().requireOpen() }
        let writer = writer
        var newRow: SettingsRow?
        let change = try writer.commit(options) { () throws(SettingsError) in
            let loaded = try current()
            var old = loaded.content ?? .empty
            var others = loaded.fields.rejected
            if !writer.isOpen {
                // An unopened store's answer is provisional, so no field counts as equal to a stored one.
                (old, others) = (.empty, Set(fields.names))
            } else if loaded.content == nil {
                others = Set(loaded.fields.stored.filter { $0.value.writableData != nil }.keys)
            }
            let row = try writer.row(record.save)
            newRow = row
            return FieldChange(
                loaded: loaded.fields, writes: try writer.writes(from: writer.row(old.save), to: row, and: others),
                isWhole: true)
        }
        keep(record, newRow, after: change)
    }

    /// Removes every field.
    func remove(_ options: SettingsStoreBatch.Options) throws(SettingsError) { try writer.remove(options) }

    // MARK: Listening

    @usableFromInline func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void {
        fields.listen(signal)
    }
}
