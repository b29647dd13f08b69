import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cache of one record, over the settings that are its fields.
@usableFromInline final class CachedRecord<Record: SettingsRecord>: TrackedValue {
    /// The decoded record. The fields invalidate it, and do not keep the rest of this object alive.
    @usableFromInline final class Decoded: Sendable {
        @usableFromInline let cached = CachedValue<Record>()
    }

    let service: SettingsService
    let connection: Connection
    let fields: RecordFieldList
    private let mapping: RecordMapping<Record>
    @usableFromInline let decoded = Decoded()
    @usableFromInline let trackers = Trackers()

    /// - Throws: ``SettingsError`` if the empty record cannot be encoded, or if no record can be created from it.
    init(
        name: String?, scope: SettingsService.Scope, in service: SettingsService, _ mapping: RecordMapping<Record>
    ) throws(SettingsError) {
        (self.service, self.mapping, connection) = (service, mapping, service.connections[scope])
        let key = SettingsService.StorageKey(name ?? "\(Record.self)", scope: scope)
        let members = try Self.members(of: .empty, mapping, key)
        let encoded = try RecordFieldList(
            of: Record.self, members, named: name, in: scope, of: service,
            whenInvalidated: { [decoded] in decoded.cached.invalidate() })
        // Adds those that the record only decodes.
        let reading = RecordReading(encoded, from: .defaults)
        _ = try Self.record(of: reading, mapping, nil)
        fields = reading.list
    }

    // MARK: Coding

    private static func members(
        of record: Record, _ mapping: RecordMapping<Record>, _ key: SettingsService.StorageKey
    ) throws(SettingsError) -> [any RecordMember] {
        HeldLocks.requireNone(before: "encoding")
        do {
            return try mapping.members(record)
        } catch {
            throw .wrap(error, as: .encodingFailed, key: key)
        }
    }

    private static func record(
        of reading: RecordReading, _ mapping: RecordMapping<Record>, _ connection: Connection?
    ) throws(SettingsError) -> Record {
        HeldLocks.requireNone(before: "decoding")
        do {
            return try mapping.record(reading)
        } catch {
            throw .wrap(error, as: .decodingFailed, key: reading.list.key, store: connection?.sources?.description)
        }
    }

    // MARK: Reading

    /// Returns the record: from memory if it is cached, otherwise from the fields.
    @inlinable @inline(__always) func value() -> Record {
        // Without counting references, which takes longer than reading: this object holds the value, and the caller this
        // object.
        Unmanaged.passUnretained(decoded)._withUnsafeGuaranteedRef { $0.cached.read() } ?? refreshedValue()
    }

    @usableFromInline @inline(never) func refreshedValue() -> Record {
        do throws(SettingsError) {
            return try current()
        } catch {
            connection.diagnostics.reportOnce(error)
            return .empty
        }
    }

    /// Returns the record of the fields' values: those of one moment, if the store publishes all of its changes.
    private func current() throws(SettingsError) -> Record {
        var attempts = 0
        while true {
            attempts += 1
            if let record = decoded.cached.read() { return record }
            let token = decoded.cached.token
            let isExhaustive = connection.isExhaustive
            let reading = RecordReading(fields, from: .memory)
            let result = Result { () throws(SettingsError) in
                try Self.record(of: reading, mapping, connection)
            }
            // A commit invalidates the fields that it changes and the record. So if it was not invalidated, nothing has changed.
            let limit = isExhaustive ? CoreLimits.transactionAttempts : CoreLimits.readingAttempts
            if decoded.cached.token != token, attempts < limit { continue }
            let record = try result.get()
            if isExhaustive, !reading.isProvisional { decoded.cached.publish(record, token: token) }
            return record
        }
    }

    /// Returns the stored record.
    func load() throws(SettingsError) -> Record {
        try connection.requireSources().requireOpen()
        let first = SettingsService.Transaction(service: service, options: .ofQuestion)
        let (record, error) = SettingsService.Transaction.run(first) { transaction in
            Result { () throws(SettingsError) in try self.record(in: &transaction).record }
        }
        if let error { throw error }
        return try record.get()
    }

    private func record(
        in transaction: inout SettingsService.Transaction
    ) throws(SettingsError) -> (record: Record, refusals: [String: SettingsError]) {
        let reading = RecordReading(fields, from: .transaction, in: transaction)
        defer { transaction = reading.transaction ?? transaction }
        return (try Self.record(of: reading, mapping, connection), reading.refusals)
    }

    // MARK: Writing

    /// Sets a field. If the key path leads to no field, changes the record.
    func set<Value>(_ keyPath: WritableKeyPath<Record, Value>, to value: Value) throws(SettingsError) {
        if mapping.isCoding, fields.areProperties, let field = field(keyPath, settingIt: value),
            try field.set(value, in: service)
        {
            return
        }
        let outcome = change(.ofSet, isOutright: true) { $0[keyPath: keyPath] = value }
        if let error = outcome.error { throw error }
    }

    /// Changes the record, and writes the fields that differ, unless the stored bytes of one of them are no value: it would be
    /// calculated from the empty record's.
    ///
    /// - Parameter body: May be called more than once.
    /// - Returns: The result of the call that was applied, or the error because of which nothing was changed.
    func change<R, E: Error>(
        _ options: SettingsStoreBatch.Options, isOutright: Bool = false, _ body: (inout Record) throws(E) -> R
    ) throws(E) -> (result: R?, error: SettingsError?) {
        do throws(SettingsError) {
            try connection.requireSources().requireOpen(toCalculateFrom: fields.key)
        } catch {
            return (nil, error)
        }
        return try transaction(options) { transaction, problem throws(E) -> R? in
            var (old, refusals): (Record, [String: SettingsError])
            do throws(SettingsError) {
                (old, refusals) = try record(in: &transaction)
                if let error = transaction.error { throw error }
            } catch {
                problem = error
                return nil
            }
            var new = old
            let result = try body(&new)
            do throws(SettingsError) {
                try set(new, from: old, in: &transaction) { field, isOther, _ throws(SettingsError) in
                    guard isOther else { return false }
                    if !isOutright, let refusal = refusals[field.name] { throw refusal }
                    return true
                }
            } catch {
                problem = error
            }
            return result
        }
    }

    /// Replaces the record, including fields whose stored bytes are no value.
    ///
    /// A store that is not open yet keeps the change if the options allow it, and throws otherwise.
    func replace(by record: Record, _ options: SettingsStoreBatch.Options) throws(SettingsError) {
        let store = try connection.requireSources()
        if !options.isKept { try store.requireOpen() }
        let (_, error) = transaction(options) { transaction, problem in
            do throws(SettingsError) {
                // What an unopened store answers is provisional, so no field counts as equal to a stored one.
                if !store.isOpen { return try set(record, from: nil, in: &transaction) { _, _, _ in true } }
                var old: Record?
                do throws(SettingsError) {
                    old = try self.record(in: &transaction).record
                } catch {
                    // Then all that is stored is replaced.
                }
                let isRecord = old != nil
                try set(record, from: old, in: &transaction) { field, isOther, transaction in
                    isOther || isRecord && field.holdsOtherBytes(in: &transaction)
                        || !isRecord && transaction.data(for: field.definition.key) != nil
                }
            } catch {
                problem = error
            }
        }
        if let error { throw error }
    }

    /// Applies a transaction.
    ///
    /// - Parameter body: Sets the error because of which nothing can be applied.
    private func transaction<R, E: Error>(
        _ options: SettingsStoreBatch.Options,
        _ body: (inout SettingsService.Transaction, _ problem: inout SettingsError?) throws(E) -> R
    ) throws(E) -> (R, SettingsError?) {
        var problem: SettingsError?
        let first = SettingsService.Transaction(service: service, options: options)
        return try SettingsService.Transaction.run(first) {
            (transaction: inout SettingsService.Transaction) throws(E) -> R in
            problem = nil
            return try body(&transaction, &problem)
        } commit: { transaction throws(SettingsError) in
            if let problem { throw problem }
            return try transaction.commit()
        }
    }

    /// Sets fields to the members of a record.
    ///
    /// - Parameters:
    ///   - old: The record before.
    ///   - isWritten: Returns whether to set a field, whose member may be another one than before.
    private func set(
        _ new: Record, from old: Record?, in transaction: inout SettingsService.Transaction,
        _ isWritten: (
            _ field: any RecordField, _ isOther: Bool, inout SettingsService.Transaction
        ) throws(SettingsError) -> Bool
    ) throws(SettingsError) {
        let members = try Self.members(of: new, mapping, fields.key)
        let before = try Self.members(of: old ?? .empty, mapping, fields.key)
        var commonCount = 0
        for (place, member) in members.enumerated() {
            guard let found = fields.place(of: member.name, near: place) else {
                throw SettingsError(.encodingFailed, key: try fields.key(of: member.name), underlying: NoSuchField())
            }
            let isNext = place < before.count && before[place].name == member.name
            let old = isNext ? before[place] : before.first { $0.name == member.name }
            if old != nil { commonCount += 1 }
            let isOther = try old.map { old throws(SettingsError) in try differs(member, from: old) } ?? true
            if try isWritten(fields.fields[found], isOther, &transaction) {
                try fields.fields[found].set(member, in: &transaction)
            }
        }
        if commonCount == before.count { return }
        for old in before where !members.contains(where: { $0.name == old.name }) {
            guard let found = fields.place(of: old.name) else { continue }
            if try isWritten(fields.fields[found], true, &transaction) {
                try fields.fields[found].set(nil, in: &transaction)
            }
        }
    }

    private func differs(_ member: any RecordMember, from old: any RecordMember) throws(SettingsError) -> Bool {
        if member.isIdentical(to: old) { return false }
        do {
            return try member.json() != old.json()
        } catch {
            throw SettingsError(.encodingFailed, key: try fields.key(of: member.name), underlying: error)
        }
    }

    /// The error that a record encodes a member that the empty one does not.
    private struct NoSuchField: ValueFreeError {
        var description: String { "The empty record has no such field." }
    }

    /// Removes every field, including those that this program does not define, unless the record has no name: the store's other names
    /// may be settings then.
    func remove(_ options: SettingsStoreBatch.Options) throws(SettingsError) {
        let (store, prefix) = (try connection.requireSources(), fields.prefix)
        var names = Set(fields.fields.map { $0.definition.key.name })
        do throws(SettingsError) {
            // Names with another colon belong to other records and to migrations.
            if !prefix.isEmpty {
                names.formUnion(
                    try store.keys().filter { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains(":") })
            }
        } catch {
            // Without a list of the keys, only the fields that the record knows are removed.
            if error.code != .unsupported { throw error }
        }
        let scope = fields.key.scope
        let known = Dictionary(fields.fields.map { ($0.definition.key.name, $0.definition) }) { one, _ in one }
        let removable = try store.removable(names.filter(SettingsService.StorageKey.isValid), in: scope) { name in
            known[name]?.slot(in: service).look()?.0.verdict
        }
        if removable.isEmpty { return }
        let writes = removable.map { SettingsStoreBatch.Entry(key: .init($0, scope: scope), data: nil) }
        _ = try store.apply(SettingsStoreBatch(writes: writes, options: options))
    }

    // MARK: Fields

    /// Returns the field to which a key path leads.
    private func field<Value>(
        _ keyPath: WritableKeyPath<Record, Value>, settingIt value: Value
    ) -> (any RecordField)? {
        // A store that is not open yet keeps only what is set outright.
        let isOpen = connection.sources?.isOpen ?? true
        let property = RecordLayout.of(Record.self).property(of: keyPath, settingIt: value, isCertain: isOpen)
        guard let property, !property.isRecord else { return nil }
        return fields.place(of: property.name).map { fields.fields[$0] }
    }

    /// Returns the settings to which a key path leads: a field, or those of a nested record.
    ///
    /// - Precondition: The key path leads to a property that is stored.
    func settings<Value>(_ keyPath: WritableKeyPath<Record, Value>) -> [SettingsService.SettingDefinition] {
        let property = RecordLayout.of(Record.self).property(of: keyPath)
        let found = fields.fields.filter { field in
            guard let property else { return false }
            return property.isRecord ? field.name.hasPrefix(property.name + ".") : field.name == property.name
        }
        precondition(
            !found.isEmpty, "\(keyPath) leads to no field of \(Record.self), but to a part or a computed property.")
        return found.map(\.definition)
    }

    // MARK: Listening

    @usableFromInline func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void {
        let ends = fields.fields.map { $0.listen(signal) }
        return { for end in ends { end() } }
    }
}
