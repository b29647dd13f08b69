import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cache of one record: the decoded value, and an object for each of its fields, which invalidates the value when the field
/// changes, and has listeners.
@usableFromInline final class CachedRecord<Record: SettingsRecord>: TrackedValue {
    private struct Listener {
        let signal: @Sendable (UInt64) -> Void
        var ends: [@Sendable () -> Void]
    }

    private struct State {
        var fields: [String: CachedField<Record>] = [:]
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
    }

    let service: SettingsService
    let connection: ScopeConnection
    let scope: SettingsService.Scope
    /// The key of the whole record in messages.
    let recordKey: SettingsService.StorageKey
    let prefix: String
    let layout: RecordLayout
    /// The fields of the empty record.
    let defaults: [String: Data]
    @usableFromInline let row = StoredRow<Record>()
    @usableFromInline let trackers = ValueTrackers()
    /// The connection's lock is taken inside it.
    private let state = Mutex(State(), .settings)

    /// - Throws: ``SettingsError`` if the empty record cannot be encoded, or if no record can be created from it.
    init(name: String?, scope: SettingsService.Scope, in service: SettingsService) throws(SettingsError) {
        let isValid = name.map(SettingsService.StorageKey.isValid) ?? true
        precondition(isValid, "The name of a record must not be empty or contain NUL.")
        self.service = service
        connection = service.connections[scope]
        self.scope = scope
        recordKey = .init(name ?? "\(Record.self)", scope: scope)
        prefix = name.map { $0 + ":" } ?? ""
        layout = RecordLayout.of(Record.self)
        if !layout.attributes.isEmpty { _ = layout.declaredFields(of: Record.empty) }
        defaults = try Self.encodedFields(of: .empty, recordKey, prefix: prefix)
        // Reads all fields, so that their changes are received from the beginning.
        _ = try load(from: Source(self, known: [:], readsStore: false)).content.get()
    }

    deinit {
        let fields = state.withLock { $0.fields }
        for field in fields.values { connection.remove(field, named: field.name) }
    }

    func key(_ field: String) -> SettingsService.StorageKey { .init(prefix + field, scope: scope) }

    // MARK: Reading

    /// Returns the record: from memory if it is cached, otherwise from the store.
    @inlinable @inline(__always) func value() -> Record {
        // Without counting references, which takes longer than reading: this object holds the row, and the caller this
        // object.
        Unmanaged.passUnretained(row)._withUnsafeGuaranteedRef { $0.cached.read() } ?? refreshedValue()
    }

    @usableFromInline @inline(never) func refreshedValue() -> Record {
        do throws(SettingsError) {
            return try current().content.get()
        } catch {
            service.connections.diagnostics.reportOnce(error)
            return .empty
        }
    }

    /// A record and the bytes from which it was created.
    struct Loaded {
        /// The record, or the error if the stored fields are no record.
        var content: Result<Record, SettingsError>
        /// The stored values of each field that was read.
        var stored: [String: StoredValue]
        /// The fields whose stored bytes are no value, and the reasons.
        var unreadable: [String: SettingsError]
        /// The candidates that lock nothing, because their fields reject them.
        var disregardedLocks: [String: [SettingsStoreCandidate]] = [:]
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
        var attempts = 0
        while true {
            attempts += 1
            let isLastAttempt = attempts >= CoreLimits.readingAttempts
            let (record, snapshot, token, isExhaustive) = connection.betweenCommits {
                // The record is read first: another thread may complete the bytes and cache a record of them at any time.
                let record = origin == .cache ? row.cached.read() : nil
                return (record, row.snapshot, row.cached.token, connection.isExhaustive)
            }
            // A cached record was created from bytes in the snapshot: a commit would have invalidated it.
            if isExhaustive, let record {
                return Loaded(
                    content: .success(record), stored: snapshot.fields, unreadable: snapshot.unreadable)
            }
            let usesKnown = isExhaustive && (origin != .store || isLastAttempt)
            let source = Source(self, known: usesKnown ? snapshot.fields : [:])
            let loaded = try load(from: source)
            if isExhaustive {
                row.complete(
                    source.read, unreadable: loaded.unreadable, of: loaded.stored, generation: snapshot.generation)
            }
            // Values that were read beside the known ones may be of another moment. If the store publishes all of its changes, they
            // are known the next time, so the loop ends.
            if !source.read.isEmpty, row.cached.token != token, isExhaustive || !isLastAttempt { continue }
            // A token is odd while no value is cached.
            if isExhaustive, case .success(let record) = loaded.content { row.cached.publish(record, token: token) }
            return loaded
        }
    }

    /// Creates a record. Fields that the record decodes itself, and cannot decode, are omitted one after the other.
    private func load(from source: Source) throws(SettingsError) -> Loaded {
        while true {
            HeldLocks.requireNone(before: "decoding")
            do {
                let record = try Record.load(from: SettingsRow(source: source))
                if let error = source.error { throw error }
                return source.loaded(.success(record))
            } catch {
                if let error = source.error { throw error }
                if source.leaveOut(becauseOf: error) { continue }
                let problem = SettingsError.wrap(
                    error, as: .decodingFailed, key: recordKey, store: connection.store?.description)
                return source.loaded(.failure(problem))
            }
        }
    }

    /// Reads fields, and makes the connection record changes of each field that is read.
    private final class Source: RowSource {
        private let record: CachedRecord
        private let readsStore: Bool
        /// The values that are already known.
        private let known: [String: StoredValue]
        /// The values that were read from the store.
        private(set) var read: [String: StoredValue] = [:]
        /// The values of all fields that the record has read.
        private var stored: [String: StoredValue] = [:]
        private var unreadable: [String: SettingsError] = [:]
        /// The fields with a rejected candidate.
        private var refused: Set<String> = []
        /// The candidates whose values the fields have.
        private var accepted: [String: SettingsStoreCandidate] = [:]
        private(set) var error: SettingsError?
        /// Fields that the record decodes itself.
        private var opened: [String] = []
        private var leftOut: Set<String> = []

        init(_ record: CachedRecord, known: [String: StoredValue], readsStore: Bool = true) {
            self.record = record
            self.known = known
            self.readsStore = readsStore
        }

        var defaultNames: [String] { Array(record.defaults.keys) }

        func attribute(of name: String) -> (any FieldAttribute)? { record.layout.attributes[name] }

        func defaultData(_ name: String) -> Data? { record.defaults[name] }

        func data(_ name: String) -> Data? { value(name).data }

        func candidates(_ name: String) -> [SettingsStoreCandidate] { value(name).all }

        private func value(_ name: String) -> StoredValue {
            if leftOut.contains(name) { return .nothing }
            if let value = stored[name] { return value }
            if let value = known[name] {
                stored[name] = value
                return value
            }
            guard SettingsService.StorageKey.isValid(record.prefix + name) else { return .nothing }
            record.addField(name)
            guard readsStore else { return .nothing }
            do throws(SettingsError) {
                let key = record.key(name)
                let value = try record.connection.requireStore(for: key).read(key)
                read[name] = value
                stored[name] = value
                return value
            } catch {
                self.error = self.error ?? error
                return .nothing
            }
        }

        func recordOpening(_ name: String) { opened.append(name) }

        private var earlier: EarlierBytes? { record.connection.store?.feed.earlier }

        func earlier(before candidate: SettingsStoreCandidate, of name: String) -> [Data?] {
            earlier?.bytes(before: candidate, named: record.prefix + name) ?? []
        }

        func accept(_ candidate: SettingsStoreCandidate, of name: String) {
            accepted[name] = candidate
            if candidate.layer == nil { unreadable[name] = nil }
            earlier?.record(candidate, named: record.prefix + name, isAccepted: true)
        }

        func record(_ error: any Error, with name: String, _ candidate: SettingsStoreCandidate) {
            refused.insert(name)
            earlier?.record(candidate, named: record.prefix + name, isAccepted: false)
            let problem = error as? SettingsError ?? SettingsError(.decodingFailed, underlying: error)
            // A layer that is not written to stays unchanged.
            if candidate.layer == nil { unreadable[name] = problem }
            record.connection.reportOnce(
                problem.completed(key: record.key(name), store: candidate.location, layer: candidate.layer),
                bytes: candidate.data)
        }

        /// Returns the record, or the error if there is none, with the values that were read for it.
        func loaded(_ content: Result<Record, SettingsError>) -> Loaded {
            let disregardedLocks = stored.filter { name, value in
                value.candidates != nil && accepted[name]?.isLocking != true
            }
            .mapValues { $0.all.filter(\.isLocking) }.filter { !$0.value.isEmpty }
            return Loaded(
                content: content, stored: stored, unreadable: unreadable, disregardedLocks: disregardedLocks)
        }

        /// Omits the fields that may have caused a failure: those that cannot be decoded, or the last one that the record decodes
        /// itself.
        ///
        /// - Returns: false if there is none.
        func leaveOut(becauseOf error: any Error) -> Bool {
            var suspects = refused.subtracting(leftOut).filter { accepted[$0] == nil }
            if suspects.isEmpty, let last = opened.last(where: { !leftOut.contains($0) }) {
                if let candidate = stored[last]?.all.first { record(error, with: last, candidate) }
                suspects = [last]
            }
            leftOut.formUnion(suspects)
            opened = []
            return !suspects.isEmpty
        }
    }

    // MARK: Listening

    /// The names of the fields that the record has read.
    var fieldNames: [String] { state.withLock { Array($0.fields.keys) } }

    /// Makes the connection record changes of a field from now on.
    private func addField(_ name: String) {
        state.withLock { state in
            if state.fields[name] != nil { return }
            let field = connection.add { slot in
                CachedField(field: name, name: prefix + name, slot: slot, row: row)
            }
            state.fields[name] = field
            for number in state.listeners.keys {
                guard let signal = state.listeners[number]?.signal else { continue }
                state.listeners[number]?.ends.append(connection.add(.signal(signal), to: field))
            }
        }
    }

    /// Calls `signal` with the number of each commit that has changed a field.
    ///
    /// - Returns: A closure that removes the listener.
    @usableFromInline func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            defer { state.nextListener += 1 }
            state.listeners[state.nextListener] = Listener(
                signal: signal, ends: state.fields.values.map { connection.add(.signal(signal), to: $0) })
            return state.nextListener
        }
        connection.recordListener()
        return { [self] in
            let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
            for end in listener?.ends ?? [] { end() }
        }
    }
}
