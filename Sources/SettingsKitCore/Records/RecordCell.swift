import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is kept of one record: the decoded value, and a cell for each of its fields, which makes it invalid when the field
/// changes and tells who listens.
@usableFromInline final class RecordCell<Record: SettingsRecord>: Sendable {
    private struct Listener {
        let tell: @Sendable (UInt64) -> Void
        var ends: [@Sendable () -> Void]
    }

    private struct State {
        var fields: [String: AnyCell] = [:]
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
    }

    /// How often a record is read again because it has changed meanwhile, before it is taken as it is.
    private static var attemptLimit: Int { 100 }

    let service: SettingsService
    let channel: Channel
    let scope: SettingsService.Scope
    /// What messages call the record as a whole.
    private let recordKey: SettingsService.StorageKey
    let prefix: String
    /// The fields of the empty record.
    let defaults: [String: Data]
    @usableFromInline let box = ValueBox<Record>()
    private let row = StoredRow()
    private let state = Mutex(State())

    /// - Throws: ``SettingsError`` if the empty record cannot be encoded, or no record be made of it.
    init(name: String, scope: SettingsService.Scope, in service: SettingsService) throws(SettingsError) {
        precondition(SettingsService.StorageKey.isValid(name), "The name of a record must not be empty or contain NUL.")
        self.service = service
        channel = service.registry.channel(for: scope)
        self.scope = scope
        recordKey = .init(name, scope: scope)
        prefix = name + ":"
        defaults = try Self.encoded(.empty, of: recordKey)
        // Asks for all fields, so that they are listened to from the beginning.
        _ = try load(from: Source(self, known: [:], readsStore: false)).content.get()
    }

    deinit {
        let fields = state.withLock { $0.fields }
        for field in fields.values { field.leaveChannel() }
    }

    func key(_ field: String) -> SettingsService.StorageKey { .init(prefix + field, scope: scope) }

    // MARK: Reading

    /// The record; from memory where it is kept, else through the store.
    @inlinable @inline(__always) func value() -> Record {
        // Without counting references, which takes longer than reading: the cell holds the box, and the caller the cell.
        Unmanaged.passUnretained(box)._withUnsafeGuaranteedRef { $0.read() } ?? refreshedValue()
    }

    @usableFromInline @inline(never) func refreshedValue() -> Record {
        do throws(SettingsError) {
            return try current().content.get()
        } catch {
            service.registry.diagnostics.reportOnce(error)
            return .empty
        }
    }

    /// A record and the bytes that it was made of.
    struct Loaded {
        /// The record; or why none can be made of what is stored.
        var content: Result<Record, SettingsError>
        /// What was stored of each field that was asked for.
        var stored: [String: Data?]
        /// The fields that hold something else.
        var unreadable: Set<String>
    }

    /// The record as it is stored: all fields from one moment, where the store announces its changes.
    ///
    /// - Parameter asksStore: Whether the store is to say what it holds, and not only what it has announced.
    /// - Throws: what kept the store from being read.
    func current(asksStore: Bool = false) throws(SettingsError) -> Loaded {
        var attempts = 0
        while true {
            attempts += 1
            let isLastAttempt = attempts >= Self.attemptLimit
            let (snapshot, token, isAnnounced) = channel.betweenCommits {
                (row.snapshot, box.token, channel.announcesAllChanges.load(ordering: .acquiring))
            }
            let usesKnown = isAnnounced && (!asksStore || isLastAttempt)
            let source = Source(self, known: usesKnown ? snapshot.fields : [:])
            let loaded = try load(from: source)
            if isAnnounced { row.complete(source.read, generation: snapshot.generation) }
            // What was read beside what is known may be of another moment. Where the store announces its changes, it is
            // known the next time, so this comes to an end.
            if !source.read.isEmpty, box.token != token, isAnnounced || !isLastAttempt { continue }
            // A token is odd while no value is kept.
            if isAnnounced, case .success(let record) = loaded.content { box.publish(record, token: token) }
            return loaded
        }
    }

    /// Makes a record. Fields that the record decodes itself, and fails to, are left out, one after the other.
    private func load(from source: Source) throws(SettingsError) -> Loaded {
        while true {
            do {
                let record = try Record.load(from: SettingsRow(source: source))
                if let error = source.error { throw error }
                return Loaded(content: .success(record), stored: source.stored, unreadable: source.unreadable)
            } catch {
                if let error = source.error { throw error }
                if source.leaveOut(becauseOf: error) { continue }
                let problem = SettingsError.wrap(
                    error, as: .decodingFailed, key: recordKey, store: channel.hub?.store.storeDescription)
                return Loaded(content: .failure(problem), stored: source.stored, unreadable: source.unreadable)
            }
        }
    }

    /// Reads fields, and sees to it that each one that is read is listened to.
    private final class Source: RowSource {
        private let cell: RecordCell
        private let readsStore: Bool
        /// What is known already.
        private let known: [String: Data?]
        /// What was read from the store.
        private(set) var read: [String: Data?] = [:]
        /// What was asked for.
        private(set) var stored: [String: Data?] = [:]
        private(set) var unreadable: Set<String> = []
        private(set) var error: SettingsError?
        /// Fields that the record decodes itself.
        private var opened: [String] = []
        private var leftOut: Set<String> = []

        init(_ cell: RecordCell, known: [String: Data?], readsStore: Bool = true) {
            self.cell = cell
            self.known = known
            self.readsStore = readsStore
        }

        var defaultNames: [String] { Array(cell.defaults.keys) }

        func defaultData(_ name: String) -> Data? { cell.defaults[name] }

        func data(_ name: String) -> Data? {
            if leftOut.contains(name) { return nil }
            if let data = stored[name] { return data }
            if let data = known[name] {
                stored[name] = .some(data)
                return data
            }
            guard SettingsRow.isValid(name) else { return nil }
            cell.listen(to: name)
            guard readsStore else { return nil }
            do throws(SettingsError) {
                let data = try cell.channel.read(cell.key(name), from: cell.channel.hub)
                read[name] = .some(data)
                stored[name] = .some(data)
                return data
            } catch {
                self.error = self.error ?? error
                return nil
            }
        }

        func noteOpening(_ name: String) { opened.append(name) }

        func note(_ error: any Error, with name: String, data: Data) {
            unreadable.insert(name)
            cell.channel.reportOnce(
                SettingsError(.decodingFailed, key: cell.key(name), underlying: error), bytes: data)
        }

        /// Leaves out the fields that may be the cause of a failure: those that cannot be decoded, or the last one that
        /// the record decodes itself.
        ///
        /// - Returns: false if there is none.
        func leaveOut(becauseOf error: any Error) -> Bool {
            var suspects = unreadable.subtracting(leftOut)
            if suspects.isEmpty, let last = opened.last(where: { !leftOut.contains($0) }) {
                if case let data?? = stored[last] { note(error, with: last, data: data) }
                suspects = [last]
            }
            leftOut.formUnion(suspects)
            opened = []
            return !suspects.isEmpty
        }
    }

    // MARK: Writing

    /// The fields of a record.
    ///
    /// - Throws: ``SettingsError`` with the key of the field that cannot be encoded, where that is known.
    private static func encoded(
        _ record: Record, of recordKey: SettingsService.StorageKey
    ) throws(SettingsError) -> [String: Data] {
        var row = SettingsRow()
        do {
            try record.save(into: &row)
            if let error = row.error { throw error }
            if !row.fields.keys.allSatisfy(SettingsRow.isValid) { throw SettingsRow.InvalidName() }
        } catch {
            var (field, cause) = (nil as String?, error)
            switch error {
            case let error as SettingsRow.FieldError: (field, cause) = (error.name, error.underlying)
            case EncodingError.invalidValue(_, let context): field = context.codingPath.first?.stringValue
            default: break
            }
            let key = field.map { SettingsService.StorageKey(recordKey.name + ":" + $0, scope: recordKey.scope) }
            throw SettingsError(.encodingFailed, key: key ?? recordKey, underlying: cause)
        }
        return row.fields
    }

    /// Changes the record, and writes the fields that differ then.
    ///
    /// - Parameter body: May be called more than once, also for a service over another store.
    func update(_ body: @escaping @Sendable (inout Record) -> Void) throws(SettingsError) {
        try commit(isWhole: true) { loaded throws(SettingsError) in
            let operation: PendingOperation.Body = { [recordKey] service throws(SettingsError) in
                try RecordCell(name: recordKey.name, scope: recordKey.scope, in: service).update(body)
            }
            return (try writes(of: body, to: loaded), operation)
        }
    }

    /// Sets something in the record, whatever was there before, and writes the fields that differ then.
    ///
    /// - Parameters:
    ///   - isWhole: Whether no field may change meanwhile; if not, none of those that are written.
    ///   - body: May be called more than once.
    func set(isWhole: Bool, _ body: (inout Record) -> Void) throws(SettingsError) {
        try commit(isWhole: isWhole) { loaded throws(SettingsError) in
            let writes = try writes(of: body, to: loaded)
            let operation: PendingOperation.Body = { service throws(SettingsError) in try service.repeatWrites(writes) }
            return (writes, operation)
        }
    }

    private func writes(
        of body: (inout Record) -> Void, to loaded: Loaded
    ) throws(SettingsError) -> [SettingsStoreBatch.Entry] {
        let old = try loaded.content.get()
        var new = old
        body(&new)
        return try writes(from: old, to: new)
    }

    /// Makes the record another one; also the fields that hold something else.
    ///
    /// - Parameter isKept: Whether a store that is not open yet keeps the change; if not, it throws.
    func replace(by record: Record, isKept: Bool) throws(SettingsError) {
        if !isKept { try channel.requireHub(for: nil).requireOpen() }
        let operation: PendingOperation.Body = { [recordKey] service throws(SettingsError) in
            let cell = try RecordCell(name: recordKey.name, scope: recordKey.scope, in: service)
            try cell.replace(by: record, isKept: false)
        }
        try commit(isWhole: true) { loaded throws(SettingsError) in
            switch loaded.content {
            case .success(let old):
                // What a store that is not open yet has, is not what is stored: nothing is equal to it.
                let isOpen = channel.hub?.recovering?.unavailability == nil
                let others = isOpen ? loaded.unreadable : Set(loaded.stored.keys)
                return (try writes(from: old, to: record, and: others), isKept ? operation : nil)
            case .failure:
                let stored = loaded.stored.filter { $0.value != nil }
                return (try writes(from: .empty, to: record, and: Set(stored.keys)), isKept ? operation : nil)
            }
        }
    }

    private func commit(
        isWhole: Bool,
        _ change: (Loaded) throws(SettingsError) -> (
            writes: [SettingsStoreBatch.Entry], operation: PendingOperation.Body?
        )
    ) throws(SettingsError) {
        for _ in 0..<10_000 {
            let loaded = try current()
            let (writes, operation) = try change(loaded)
            if writes.isEmpty { return }
            let written = Set(writes.map(\.key))
            let expectations = loaded.stored.compactMap { name, data -> SettingsStoreBatch.Entry? in
                let key = key(name)
                return isWhole || written.contains(key) ? .init(key: key, data: data) : nil
            }
            if try apply(SettingsStoreBatch(writes: writes, expectations: expectations), operation) { return }
        }
        throw SettingsError(.conflict)
    }

    /// The writes that make one record of another: of the fields that differ, and of `others`.
    private func writes(
        from old: Record, to new: Record, and others: Set<String> = []
    ) throws(SettingsError) -> [SettingsStoreBatch.Entry] {
        let oldFields = try Self.encoded(old, of: recordKey)
        let newFields = try Self.encoded(new, of: recordKey)
        return Set(oldFields.keys).union(newFields.keys).union(others).sorted().compactMap { name in
            if oldFields[name] == newFields[name], !others.contains(name) { return nil }
            // A field without a value is stored as such where it would read as something else otherwise.
            let data = newFields[name] ?? defaults[name].map { _ in SettingsRow.null }
            return .init(key: key(name), data: data)
        }
    }

    private func apply(
        _ batch: SettingsStoreBatch, _ operation: PendingOperation.Body? = nil
    ) throws(SettingsError) -> Bool {
        let hub = try channel.requireHub(for: batch.writes.first?.key)
        let batch = hub.noting(operation, in: batch, of: service)
        do throws(SettingsError) {
            return try hub.apply(batch)
        } catch {
            throw error.completed(key: batch.writes.first?.key, store: nil)
        }
    }

    /// Removes every field, also those that this program does not know.
    func erase() throws(SettingsError) {
        let hub = try channel.requireHub(for: nil)
        var names = Set(state.withLock { $0.fields.keys.map { prefix + $0 } })
        do {
            // Behind another colon are other records, and notes of migrations.
            names.formUnion(
                try hub.store.keys().filter { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains(":") })
        } catch SettingsError.Code.unsupported {
            // What the record knows is removed.
        } catch {
            throw .wrap(error, as: .readFailed, store: hub.store.storeDescription)
        }
        let writes = names.filter(SettingsService.StorageKey.isValid).map { name in
            SettingsStoreBatch.Entry(key: .init(name, scope: scope), data: nil)
        }
        _ = try apply(SettingsStoreBatch(writes: writes))
    }

    // MARK: Listening

    /// Sees to it that changes of a field are heard.
    private func listen(to name: String) {
        state.withLock { state in
            if state.fields[name] != nil { return }
            let cell = FieldCell(field: name, name: prefix + name, channel: channel, validity: box, row: row)
            state.fields[name] = cell
            channel.add(cell)
            for number in state.listeners.keys {
                guard let tell = state.listeners[number]?.tell else { continue }
                state.listeners[number]?.ends.append(cell.listen(.signal(tell)))
            }
        }
    }

    /// Calls `tell` with the number of each commit that has changed a field.
    ///
    /// - Returns: what ends it.
    func listen(_ tell: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            defer { state.nextListener += 1 }
            state.listeners[state.nextListener] = Listener(
                tell: tell, ends: state.fields.values.map { $0.listen(.signal(tell)) })
            return state.nextListener
        }
        return { [self] in
            let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
            for end in listener?.ends ?? [] { end() }
        }
    }
}
