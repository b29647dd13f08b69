#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writing a record: only the fields whose values differ are encoded and written.
extension CachedRecord {
    /// A field, and its bytes to store or to expect.
    private struct FieldWrite {
        let name: String
        let data: Data?

        init(_ name: String, _ data: Data?) { (self.name, self.data) = (name, data) }
    }

    /// Returns the bytes of a record's fields.
    ///
    /// - Throws: ``SettingsError``, with the key of the field that cannot be encoded if the key is known.
    static func encodedFields(
        of record: Record, _ recordKey: SettingsService.StorageKey, prefix: String
    ) throws(SettingsError) -> [String: Data] {
        try encoding(recordKey, prefix: prefix) {
            var row = SettingsRow()
            try record.save(into: &row)
            var fields: [String: Data] = [:]
            for name in row.members.keys {
                try requireValid(name, prefix: prefix)
                fields[name] = try row.encoded(name)
            }
            return fields
        }
    }

    private static func requireValid(_ field: String, prefix: String) throws {
        if !SettingsService.StorageKey.isValid(prefix + field) { throw SettingsRow.InvalidName() }
    }

    /// - Throws: The errors of `body`, as a ``SettingsError`` with the key of the field that cannot be encoded if the key is known.
    private static func encoding<R>(
        _ recordKey: SettingsService.StorageKey, prefix: String, _ body: () throws -> R
    ) throws(SettingsError) -> R {
        HeldLocks.requireNone(before: "encoding")
        do {
            return try body()
        } catch let error as SettingsError {
            throw error
        } catch {
            var (field, cause) = (nil as String?, error)
            switch error {
            case let error as SettingsRow.FieldError: (field, cause) = (error.name, error.underlying)
            case EncodingError.invalidValue(_, let context): field = context.codingPath.first?.stringValue
            default: break
            }
            let name = field.map { prefix + $0 }.flatMap { SettingsService.StorageKey.isValid($0) ? $0 : nil }
            let key = name.map { SettingsService.StorageKey($0, scope: recordKey.scope) }
            throw SettingsError(.encodingFailed, key: key ?? recordKey, underlying: cause)
        }
    }

    /// Changes the record, and writes the fields that differ, unless the stored bytes of one of them are no value: it would be
    /// calculated from the empty record's.
    ///
    /// - Parameter body: May be called more than once.
    /// - Returns: The result of the call that was applied, or the error because of which nothing was changed.
    func update<R, E: Error>(_ body: (inout Record) throws(E) -> R) throws(E) -> (result: R?, error: SettingsError?) {
        var outcome: Result<R, E>?
        do throws(SettingsError) {
            try connection.requireStore().requireOpen(toCalculateFrom: recordKey)
            try commit(isWhole: true, from: .cache, .ofSave) { loaded throws(SettingsError) in
                let old = try loaded.content.get()
                var new = old
                HeldLocks.requireNone(before: "the closure of an update")
                do throws(E) {
                    outcome = .success(try body(&new))
                } catch {
                    outcome = .failure(error)
                    return nil
                }
                let writes = try writes(from: old, to: new)
                for write in writes {
                    guard let cause = loaded.unreadable[write.name] else { continue }
                    throw SettingsError(
                        cause.code, key: key(write.name), underlying: StoredValueIsUnusable(cause: cause))
                }
                return writes
            }
        } catch {
            return (nil, error)
        }
        return (try outcome?.get(), nil)
    }

    /// Sets a field, whichever value it had.
    func set<Field>(_ keyPath: WritableKeyPath<Record, Field>, to value: Field) throws(SettingsError) {
        // Other fields may change meanwhile: the write does not depend on them, unless the property is computed from several.
        let isWhole = MemoryLayout<Record>.offset(of: keyPath) == nil
        try commit(isWhole: isWhole, from: .cache, .ofSet) { loaded throws(SettingsError) in
            let old = try loaded.content.get()
            var new = old
            HeldLocks.requireNone(before: "a key path")
            new[keyPath: keyPath] = value
            if isOpen { return try writes(from: old, to: new) }
            let data = isWhole ? nil : try Self.encoding(recordKey, prefix: prefix) { try encodedMember(value) }
            return try keptWrites(from: old, to: new, setting: data, loaded)
        }
    }

    /// Returns the write of a field for a store that is not open yet, whose stored values are unknown.
    ///
    /// - Parameter data: The bytes of the value; nil if the value alone cannot be encoded.
    /// - Throws: The reason why the store is not open, unless exactly one field can hold the value, and holds only that. A key path
    ///   does not reveal the field's name, and a part of a field would be written with the rest of an empty one.
    private func keptWrites(
        from old: Record, to new: Record, setting data: Data?, _ loaded: Loaded
    ) throws(SettingsError) -> [FieldWrite] {
        let changed = try writes(from: old, to: new)
        let possible = (changed.isEmpty ? try writes(from: old, to: new, and: Set(fieldNames)) : changed)
            .filter { $0.data ?? SettingsRow.null == data }
        if changed.count <= 1, possible.count == 1 { return possible }
        if changed.isEmpty, !possible.isEmpty,
            possible.allSatisfy({ $0.data != nil && loaded.stored[$0.name]?.writableData == $0.data })
        {
            return []
        }
        try connection.requireStore().requireOpen(toCalculateFrom: recordKey)
        return []
    }

    /// Replaces the record, including fields whose stored bytes are no value.
    ///
    /// A store that is not open yet keeps the change if the options allow it, and throws otherwise.
    func replace(by record: Record, _ options: SettingsStoreBatch.Options) throws(SettingsError) {
        if !options.isKept { try connection.requireStore().requireOpen() }
        try commit(isWhole: true, from: .publishedBytes, options) { loaded throws(SettingsError) in
            // An unopened store's answer is provisional, so no field counts as equal to a stored one.
            if !isOpen { return try writes(from: .empty, to: record, and: Set(fieldNames)) }
            switch loaded.content {
            case .success(let old): return try writes(from: old, to: record, and: Set(loaded.unreadable.keys))
            case .failure:
                let stored = loaded.stored.filter { $0.value.writableData != nil }
                return try writes(from: .empty, to: record, and: Set(stored.keys))
            }
        }
    }

    private var isOpen: Bool { connection.store?.isOpen ?? true }

    /// Makes writes, and computes them again while the values that they depend on change before the commit.
    ///
    /// - Parameter change: Returns the writes; nil to end without one.
    private func commit(
        isWhole: Bool, from origin: Origin, _ options: SettingsStoreBatch.Options,
        _ change: (Loaded) throws(SettingsError) -> [FieldWrite]?
    ) throws(SettingsError) {
        for _ in 0..<CoreLimits.transactionAttempts {
            let wasOpen = isOpen
            let loaded = try current(from: origin)
            guard let writes = try change(loaded) else { return }
            if !wasOpen && isOpen { continue }
            // The values that other machines have agreed on may be newer.
            let mustConfirm = options.waitsForAgreement && isWhole && connection.store?.store.agreesWithOthers ?? false
            if writes.isEmpty, !mustConfirm { return }
            var batch = SettingsStoreBatch(writes: entries(writes), options: options)
            batch.options.isKept = options.isKept && !isOpen
            if !batch.options.isKept {
                let expected = isWhole ? Array(loaded.stored.keys) : writes.map(\.name)
                batch.expectations = expected.compactMap { name in loaded.stored[name].map { $0.entry(for: key(name)) }
                }
            }
            if try apply(batch) { return }
        }
        throw SettingsError(.conflict)
    }

    private func entries(_ fields: [FieldWrite]) -> [SettingsStoreBatch.Entry] {
        fields.map { .init(key: key($0.name), data: $0.data) }
    }

    /// Returns the writes that turn one record into another: of the fields that differ, and of `others`. Values that are the same
    /// in both records are not serialized.
    private func writes(
        from old: Record, to new: Record, and others: Set<String> = []
    ) throws(SettingsError) -> [FieldWrite] {
        try Self.encoding(recordKey, prefix: prefix) {
            var (oldRow, newRow) = (SettingsRow(), SettingsRow())
            try old.save(into: &oldRow)
            try new.save(into: &newRow)
            let names = Set(newRow.members.keys).union(oldRow.members.keys).union(others)
            let writes = try names.compactMap { name -> FieldWrite? in
                if !others.contains(name), newRow.isIdentical(to: oldRow, in: name) { return nil }
                try Self.requireValid(name, prefix: prefix)
                let data = try newRow.encoded(name)
                if !others.contains(name), try data == oldRow.encoded(name) { return nil }
                try requireAccepted(newRow.members[name], data, name)
                // A field without a value is stored as null if it would otherwise read as another value.
                return FieldWrite(name, data ?? defaults[name].map { _ in SettingsRow.null })
            }
            return writes.sorted { $0.name < $1.name }
        }
    }

    private func requireAccepted(_ member: (any RowMember)?, _ data: Data?, _ name: String) throws(SettingsError) {
        guard let attribute = layout.attributes[name] else { return }
        // A nil that is stored as nothing is the default, which is not validated.
        let isAccepted =
            data == nil ? defaults[name] == nil || attribute.acceptsNil : member?.isAccepted(by: attribute) ?? true
        if isAccepted { return }
        throw SettingsError(.invalidValue, key: key(name), expected: attribute.expected)
    }

    private func apply(_ batch: SettingsStoreBatch) throws(SettingsError) -> Bool {
        let store = try connection.requireStore(for: batch.writes.first?.key)
        var batch = batch
        do throws(SettingsError) {
            do throws(SettingsError) {
                return try store.apply(batch)
            } catch  where error.code == .locked && store.isLayered {
                // Only reading all candidates shows whether the fields accept those that lock them.
                for (name, candidates) in try current(from: .store).disregardedLocks {
                    batch.options.disregardedLocks[prefix + name] = candidates
                }
                return try store.apply(batch)
            }
        } catch {
            throw error.completed(key: batch.writes.first?.key, store: nil)
        }
    }

    /// Removes every field, including those that this program does not define, unless the record has no name: the store's other names
    /// may be settings then.
    func remove(_ options: SettingsStoreBatch.Options) throws(SettingsError) {
        let store = try connection.requireStore()
        var names = Set(fieldNames.map { prefix + $0 })
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
        let removable = try store.removable(names.filter(SettingsService.StorageKey.isValid), in: scope)
        if removable.isEmpty { return }
        let writes = removable.map { SettingsStoreBatch.Entry(key: .init($0, scope: scope), data: nil) }
        _ = try apply(SettingsStoreBatch(writes: writes, options: options))
    }
}

/// A structure with one member, to encode the member like a record's field.
private struct Member: Encodable {
    let value: any Encodable

    private enum Key: CodingKey { case value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(value, forKey: .value)
    }
}

/// Returns the bytes of a value as a field of a record; nil if the value alone cannot be encoded.
private func encodedMember<Value>(_ value: Value) throws -> Data? {
    // A nil in `Any` is not `Encodable`.
    if let optional = value as? any OptionalValue, optional.isNil { return SettingsRow.null }
    guard let value = value as? any Encodable else { return nil }
    var row = SettingsRow()
    try row.setMembers(of: Member(value: value), .plain)
    return try row.encoded("value")
}
