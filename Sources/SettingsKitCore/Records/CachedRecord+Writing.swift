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
    /// - Parameter body: May be called more than once, also for a service over another store.
    func update(_ body: @escaping @Sendable (inout Record) -> Void) throws(SettingsError) {
        try commit(isWhole: true, from: .cache, waitsForAgreement: true) { loaded throws(SettingsError) in
            let operation: PendingOperation.Body = { [recordKey] service throws(SettingsError) in
                try CachedRecord(name: recordKey.name, scope: recordKey.scope, in: service).update(body)
            }
            let writes = try writes(of: body, to: loaded)
            for write in writes {
                guard let cause = loaded.unreadable[write.name] else { continue }
                throw SettingsError(
                    cause.code, key: key(write.name), underlying: StoredValueIsUnusable(cause: cause))
            }
            return (writes, operation)
        }
    }

    /// Sets something in the record, whatever was there before, and writes the fields that differ then.
    ///
    /// - Parameters:
    ///   - isWhole: Whether no field may change meanwhile; if not, none of those that are written.
    ///   - body: May be called more than once.
    func set(isWhole: Bool, _ body: (inout Record) -> Void) throws(SettingsError) {
        try commit(isWhole: isWhole, from: .cache, waitsForAgreement: false) { loaded throws(SettingsError) in
            let writes = try writes(of: body, to: loaded)
            let entries = entries(writes)
            let operation: PendingOperation.Body = { service throws(SettingsError) in
                try service.repeatWrites(entries)
            }
            // Without writes there is nothing to repeat.
            return (writes, writes.isEmpty ? nil : operation)
        }
    }

    private func writes(
        of body: (inout Record) -> Void, to loaded: Loaded
    ) throws(SettingsError) -> [FieldWrite] {
        let old = try loaded.content.get()
        var new = old
        HeldLocks.requireNone(before: "the closure of an update")
        body(&new)
        return try writes(from: old, to: new)
    }

    /// Makes the record another one; also the fields that hold something else.
    ///
    /// - Parameter isKept: Whether a store that is not open yet keeps the change; if not, it throws.
    func replace(by record: Record, isKept: Bool) throws(SettingsError) {
        if !isKept { try connection.requireStore().requireOpen() }
        let operation: PendingOperation.Body = { [recordKey] service throws(SettingsError) in
            let cached = try CachedRecord(name: recordKey.name, scope: recordKey.scope, in: service)
            try cached.replace(by: record, isKept: false)
        }
        try commit(isWhole: true, from: .publishedBytes, waitsForAgreement: !isKept) { loaded throws(SettingsError) in
            switch loaded.content {
            case .success(let old):
                // What a store answers that is not open yet, is not what is stored: nothing is equal to it.
                let others = connection.store?.isOpen ?? true ? Set(loaded.unreadable.keys) : Set(loaded.stored.keys)
                return (try writes(from: old, to: record, and: others), isKept ? operation : nil)
            case .failure:
                let stored = loaded.stored.filter { $0.value.writableData != nil }
                return (try writes(from: .empty, to: record, and: Set(stored.keys)), isKept ? operation : nil)
            }
        }
    }

    private func commit(
        isWhole: Bool, from origin: Origin, waitsForAgreement: Bool,
        _ change: (Loaded) throws(SettingsError) -> (writes: [FieldWrite], operation: PendingOperation.Body?)
    ) throws(SettingsError) {
        for _ in 0..<10_000 {
            let loaded = try current(from: origin)
            let (writes, operation) = try change(loaded)
            // What a store answers that is not open yet, is not what is stored: the operation may change that. And what other
            // machines have agreed on may be newer.
            let mustConfirm = waitsForAgreement && isWhole && connection.store?.store.agreesWithOthers ?? false
            if writes.isEmpty, !mustConfirm, operation == nil || connection.store?.isOpen ?? true { return }
            let expected = isWhole ? Array(loaded.stored.keys) : writes.map(\.name)
            let expectations = expected.compactMap { name in loaded.stored[name].map { $0.entry(for: key(name)) } }
            let batch = SettingsStoreBatch(
                writes: entries(writes), expectations: expectations, waitsForAgreement: waitsForAgreement)
            if try apply(batch, operation) { return }
        }
        throw SettingsError(.conflict)
    }

    private func entries(_ fields: [FieldWrite]) -> [SettingsStoreBatch.Entry] {
        fields.map { .init(key: key($0.name), data: $0.data) }
    }

    /// The writes that make one record of another: of the fields that differ, and of `others`. Values that are the same in
    /// both records are not serialised.
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

    private func apply(
        _ batch: SettingsStoreBatch, _ operation: PendingOperation.Body? = nil
    ) throws(SettingsError) -> Bool {
        let store = try connection.requireStore(for: batch.writes.first?.key)
        var batch = store.noting(operation, in: batch, of: service)
        do throws(SettingsError) {
            do throws(SettingsError) {
                return try store.apply(batch)
            } catch  where error.code == .locked && store.isLayered {
                // Only reading all candidates tells whether the fields accept those that lock them.
                for (name, candidates) in try current(from: .store).disregardedLocks {
                    batch.disregardedLocks[prefix + name] = candidates
                }
                return try store.apply(batch)
            }
        } catch {
            throw error.completed(key: batch.writes.first?.key, store: nil)
        }
    }

    /// Removes every field, also those that this program does not know.
    ///
    /// - Parameter isKept: Whether it does not wait for agreement.
    func remove(isKept: Bool) throws(SettingsError) {
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
        _ = try apply(SettingsStoreBatch(writes: writes, waitsForAgreement: !isKept))
    }
}
