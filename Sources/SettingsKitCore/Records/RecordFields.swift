import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of one record, whichever type it has: their names, their stored bytes, and their listeners.
///
/// Not generic, like everything here but the decoded record: generic code looks up the type's metadata at each call.
@usableFromInline final class RecordFields: Sendable {
    private struct Listener {
        let signal: @Sendable (UInt64) -> Void
        var ends: [@Sendable () -> Void]
    }

    private struct State {
        var fields: [String: CachedField] = [:]
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
    }

    let service: SettingsService
    let connection: ScopeConnection
    let layout: RecordLayout
    let row: StoredRow
    /// The key of the whole record in messages.
    let recordKey: SettingsService.StorageKey
    /// The first part of the keys of the fields; empty for a record without a name.
    let prefix: String
    /// The bytes of the empty record's fields.
    let defaults: [String: Data]
    /// Whether a record has no part that is not stored.
    let isWhollySaved: Bool
    /// The connection's lock is taken inside it.
    private let state = Mutex(State(), .settings)

    /// - Parameters:
    ///   - name: The name of the record; nil for one without a name.
    ///   - empty: The fields of the empty record.
    /// - Throws: ``SettingsError`` if a field cannot be encoded.
    init(
        named name: String?, typeName: String, scope: SettingsService.Scope, in service: SettingsService,
        _ layout: RecordLayout, _ value: any CachedRecordValue, empty: () throws -> SettingsRow
    ) throws(SettingsError) {
        let isValid = name.map(SettingsService.StorageKey.isValid) ?? true
        precondition(isValid, "The name of a record must not be empty or contain NUL.")
        self.service = service
        connection = service.connections[scope]
        self.layout = layout
        row = StoredRow(of: value)
        let recordKey = SettingsService.StorageKey(name ?? typeName, scope: scope)
        let prefix = name.map { $0 + ":" } ?? ""
        (self.recordKey, self.prefix) = (recordKey, prefix)
        (defaults, isWhollySaved) = try FieldEncoding(recordKey: recordKey, prefix: prefix).run {
            let row = try empty()
            var fields: [String: Data] = [:]
            for name in row.members.names {
                guard let data = try row.encoded(name) else { continue }
                try FieldEncoding.requireValid(name, prefix: prefix)
                fields[name] = data
            }
            return (fields, layout.isWhollySaved(in: row))
        }
    }

    deinit {
        let fields = state.withLock { $0.fields }
        for field in fields.values { connection.remove(field, named: field.name) }
    }

    func key(_ field: String) -> SettingsService.StorageKey { .init(prefix + field, scope: recordKey.scope) }

    /// The names of the fields that the record has read.
    var names: [String] { state.withLock { Array($0.fields.keys) } }

    /// Makes the connection record changes of a field from now on.
    func add(_ name: String) {
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
    func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void {
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

/// What was found in the store when a record was loaded.
struct LoadedFields: Sendable {
    /// The stored values of each field that was read.
    var stored: [String: StoredValue]
    /// The fields whose stored bytes are no value.
    var rejected: Set<String> = []
    /// The reasons, where the empty record's value is in force in their place, and not one before.
    var unreadable: [String: SettingsError] = [:]
    /// The candidates that lock nothing, because their fields reject them.
    var disregardedLocks: [String: [SettingsStoreCandidate]] = [:]
}
