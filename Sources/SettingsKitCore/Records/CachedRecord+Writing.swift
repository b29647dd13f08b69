#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writing a record: only the fields whose values differ are encoded and written.
extension CachedRecord {
    /// A field, and the bytes that are to be stored or are expected to be.
    private struct FieldWrite {
        let name: String
        let data: Data?

        init(_ name: String, _ data: Data?) { (self.name, self.data) = (name, data) }
    }

    /// The bytes of a record's fields.
    ///
    /// - Throws: ``SettingsError`` with the key of the field that cannot be encoded, where that is known.
    static func encodedFields(
        of record: Record, _ recordKey: SettingsService.StorageKey
    ) throws(SettingsError) -> [String: Data] {
        try encoding(recordKey) {
            var row = SettingsRow()
            try record.save(into: &row)
            var fields: [String: Data] = [:]
            for name in row.members.keys { fields[name] = try row.encoded(name) }
            return fields
        }
    }

    /// - Throws: What `body` throws, as a ``SettingsError`` with the key of the field that cannot be encoded, where that is
    ///   known.
    private static func encoding<R>(
        _ recordKey: SettingsService.StorageKey, _ body: () throws -> R
    ) throws(SettingsError) -> R {
        HeldLocks.requireNone(before: "encoding")
        do {
            return try body()
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
    }

    /// Changes the record, and writes the fields that differ then, unless one of them holds something else: it would be
    /// calculated from the empty record's.
    ///
    /// - Parameter body: May be called more than once.
    /// - Returns: The result of the call that counted, and why nothing was changed.
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

    /// Sets a field, whatever was there before.
    func set<Field>(_ keyPath: WritableKeyPath<Record, Field>, to value: Field) throws(SettingsError) {
        // Other fields may change meanwhile: nothing depends on them, unless the property is computed from several.
        let isWhole = MemoryLayout<Record>.offset(of: keyPath) == nil
        try commit(isWhole: isWhole, from: .cache, .ofSet) { loaded throws(SettingsError) in
            let old = try loaded.content.get()
            var new = old
            HeldLocks.requireNone(before: "a key path")
            new[keyPath: keyPath] = value
            if isOpen { return try writes(from: old, to: new) }
            let data = isWhole ? nil : try Self.encoding(recordKey) { try encodedMember(value) }
            return try keptWrites(from: old, to: new, setting: data, loaded)
        }
    }

    /// The write of a field for a store that is not open yet, where nothing is known to be stored already.
    ///
    /// - Parameter data: The bytes of the value; nil if it has none of its own.
    /// - Throws: Why the store is not open, unless one field alone can hold the value, and holds nothing else. A key path does
    ///   not tell the field's name, and a part of a field would be written with the rest of an empty one.
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

    /// Makes the record another one; also the fields that hold something else.
    ///
    /// A store that is not open yet keeps the change if the options say so, and throws otherwise.
    func replace(by record: Record, _ options: SettingsStoreBatch.Options) throws(SettingsError) {
        if !options.isKept { try connection.requireStore().requireOpen() }
        try commit(isWhole: true, from: .publishedBytes, options) { loaded throws(SettingsError) in
            // What a store answers that is not open yet, is not what is stored: nothing is equal to it.
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

    /// Makes writes, and finds them again as long as what they depend on changes before they are made.
    ///
    /// - Parameter change: Returns the writes; nil to end without one.
    private func commit(
        isWhole: Bool, from origin: Origin, _ options: SettingsStoreBatch.Options,
        _ change: (Loaded) throws(SettingsError) -> [FieldWrite]?
    ) throws(SettingsError) {
        for _ in 0..<10_000 {
            let wasOpen = isOpen
            let loaded = try current(from: origin)
            guard let writes = try change(loaded) else { return }
            if !wasOpen && isOpen { continue }
            // What other machines have agreed on may be newer.
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

    /// The writes that make one record of another: of the fields that differ, and of `others`. Values that are the same in
    /// both records are not serialized.
    private func writes(
        from old: Record, to new: Record, and others: Set<String> = []
    ) throws(SettingsError) -> [FieldWrite] {
        try Self.encoding(recordKey) {
            var (oldRow, newRow) = (SettingsRow(), SettingsRow())
            try old.save(into: &oldRow)
            try new.save(into: &newRow)
            let names = Set(newRow.members.keys).union(oldRow.members.keys).union(others)
            let writes = try names.compactMap { name -> FieldWrite? in
                if !others.contains(name), newRow.isIdentical(to: oldRow, in: name) { return nil }
                let data = try newRow.encoded(name)
                if !others.contains(name), try data == oldRow.encoded(name) { return nil }
                // A field without a value is stored as such where it would read as something else otherwise.
                return FieldWrite(name, data ?? defaults[name].map { _ in SettingsRow.null })
            }
            return writes.sorted { $0.name < $1.name }
        }
    }

    private func apply(_ batch: SettingsStoreBatch) throws(SettingsError) -> Bool {
        let store = try connection.requireStore(for: batch.writes.first?.key)
        var batch = batch
        do throws(SettingsError) {
            do throws(SettingsError) {
                return try store.apply(batch)
            } catch  where error.code == .locked && store.isLayered {
                // Only reading all candidates tells whether the fields accept those that lock them.
                for (name, candidates) in try current(from: .store).disregardedLocks {
                    batch.options.disregardedLocks[prefix + name] = candidates
                }
                return try store.apply(batch)
            }
        } catch {
            throw error.completed(key: batch.writes.first?.key, store: nil)
        }
    }

    /// Removes every field, also those that this program does not know.
    func remove(_ options: SettingsStoreBatch.Options) throws(SettingsError) {
        let store = try connection.requireStore()
        var names = Set(fieldNames.map { prefix + $0 })
        do throws(SettingsError) {
            // Behind another colon are other records, and notes of migrations.
            names.formUnion(
                try store.keys().filter { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains(":") })
        } catch {
            // Without a list of the keys, the fields that the record knows are removed.
            if error.code != .unsupported { throw error }
        }
        let writes = names.filter(SettingsService.StorageKey.isValid).map { name in
            SettingsStoreBatch.Entry(key: .init(name, scope: scope), data: nil)
        }
        _ = try apply(SettingsStoreBatch(writes: writes, options: .init(waitsForAgreement: options.waitsForAgreement)))
    }
}

/// A structure of one member, to encode the member as a record's field is encoded.
private struct Member: Encodable {
    let value: any Encodable

    private enum Key: CodingKey { case value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(value, forKey: .value)
    }
}

/// The bytes of a value as a field of a record; nil if it cannot be encoded by itself.
private func encodedMember<Value>(_ value: Value) throws -> Data? {
    // A nil in `Any` is no Encodable.
    if let optional = value as? any OptionalValue, optional.isNil { return SettingsRow.null }
    guard let value = value as? any Encodable else { return nil }
    var row = SettingsRow()
    try row.setMembers(of: Member(value: value))
    return try row.encoded("value")
}
