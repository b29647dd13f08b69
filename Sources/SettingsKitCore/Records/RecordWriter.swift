#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A field, and its bytes to store.
struct FieldWrite {
    let name: String
    let data: Data?
    /// The value; nil for no value.
    let member: (any RowMember)?
}

/// The writes of a change, and what was found before.
struct FieldChange {
    let loaded: LoadedFields
    let writes: [FieldWrite]
    /// Whether the writes depend on all fields.
    let isWhole: Bool
}

/// Encodes and writes the fields that differ.
struct RecordWriter {
    let fields: RecordFields
    /// Reads the candidates that lock nothing, because their fields reject them.
    let disregardedLocks: () throws(SettingsError) -> [String: [SettingsStoreCandidate]]

    private var connection: ScopeConnection { fields.connection }

    /// Whether the store is open.
    var isOpen: Bool { connection.store?.isOpen ?? true }

    private var encoding: FieldEncoding { .init(recordKey: fields.recordKey, prefix: fields.prefix) }

    // MARK: Differences

    /// Adds the fields of a record to a row.
    ///
    /// - Throws: `encodingFailed`.
    func row(_ save: (inout SettingsRow) throws -> Void) throws(SettingsError) -> SettingsRow {
        try encoding.run {
            var row = SettingsRow()
            try save(&row)
            return row
        }
    }

    /// Returns the writes that turn one record into another: of the fields that differ, and of `others`. Values that are the same
    /// in both records are not serialized.
    ///
    /// - Parameters:
    ///   - old: The fields of the first record.
    ///   - new: Those of the second record.
    /// - Throws: `encodingFailed`; `invalidValue` if the validation of a field rejects the value that it would have.
    func writes(
        from old: SettingsRow, to new: SettingsRow, and others: Set<String> = []
    ) throws(SettingsError) -> [FieldWrite] {
        try encoding.run {
            var writes: [FieldWrite] = []
            func compare(_ name: String, _ member: (any RowMember)?, with oldMember: (any RowMember)?) throws {
                let isWritten = others.contains(name)
                if !isWritten, let member, let oldMember, member.isIdentical(to: oldMember) { return }
                try FieldEncoding.requireValid(name, prefix: fields.prefix)
                let data = try member.flatMap { try SettingsRow.encoded($0, name) }
                if !isWritten, try data == oldMember.flatMap({ try SettingsRow.encoded($0, name) }) { return }
                writes.append(.init(name: name, data: try bytes(data, of: member, name), member: member))
            }
            var commonCount = 0
            for (place, (name, member)) in new.members.all.enumerated() {
                let oldMember = old.members.member(named: name, near: place)
                if oldMember != nil { commonCount += 1 }
                try compare(name, member, with: oldMember)
            }
            if commonCount < old.members.count {
                for (name, member) in old.members.all where new.members[name] == nil {
                    try compare(name, nil, with: member)
                }
            }
            for name in others where new.members[name] == nil && old.members[name] == nil {
                try compare(name, nil, with: nil)
            }
            if writes.count > 1 { writes.sort { $0.name < $1.name } }
            return writes
        }
    }

    /// Returns what is stored for a field; nil for nothing.
    ///
    /// - Throws: `invalidValue` if the validation of the field rejects the value.
    private func bytes(
        _ data: Data?, of member: (any RowMember)?, _ name: String
    ) throws(SettingsError) -> Data? {
        let standard = fields.defaults[name]
        if let attribute = fields.layout.attributes[name] {
            let isAccepted = data == nil ? attribute.acceptsNil : member?.isAccepted(by: attribute) ?? true
            if !isAccepted {
                // The empty record's value is not validated, and is in force if nothing is stored.
                if data == standard { return nil }
                throw SettingsError(.invalidValue, key: fields.key(name), expected: attribute.expected)
            }
        }
        // A field without a value is stored as null if it would otherwise read as another value.
        return data ?? standard.map { _ in SettingsRow.null }
    }

    /// Throws if a change writes a field whose stored bytes are no value: it would be calculated from the empty record's.
    func requireReadable(_ change: FieldChange) throws(SettingsError) {
        if change.loaded.unreadable.isEmpty { return }
        for write in change.writes {
            guard let cause = change.loaded.unreadable[write.name] else { continue }
            throw SettingsError(
                cause.code, key: fields.key(write.name), underlying: StoredValueIsUnusable(cause: cause))
        }
    }

    /// Returns the write of a field for a store that is not open yet, whose stored values are unknown.
    ///
    /// - Parameters:
    ///   - changed: The fields that differ.
    ///   - all: Returns the writes of all fields.
    ///   - value: The bytes of the value; nil if the value alone cannot be encoded.
    /// - Throws: The reason why the store is not open, unless exactly one field can hold the value, and holds only that. A key path
    ///   does not reveal the field's name, and a part of a field would be written with the rest of an empty one.
    func keptWrites(
        _ changed: [FieldWrite], all: () throws(SettingsError) -> [FieldWrite],
        setting value: () throws -> Data?, _ loaded: LoadedFields
    ) throws(SettingsError) -> [FieldWrite] {
        let possible = try writes(changed.isEmpty ? all() : changed, setting: value)
        if changed.count <= 1, possible.count == 1 { return possible }
        if changed.isEmpty, !possible.isEmpty,
            possible.allSatisfy({ $0.data != nil && loaded.stored[$0.name]?.writableData == $0.data })
        {
            return []
        }
        try connection.requireStore().requireOpen(toCalculateFrom: fields.recordKey)
        return []
    }

    /// Returns those of several writes that store a value.
    ///
    /// - Parameter value: Returns the bytes of the value; nil if the value alone cannot be encoded.
    func writes(
        _ writes: [FieldWrite], setting value: () throws -> Data?
    ) throws(SettingsError) -> [FieldWrite] {
        let data = try encoding.run(value)
        return writes.filter { $0.data ?? SettingsRow.null == data }
    }

    /// Returns whether a write stores a value, unchanged, in a field with an attribute.
    ///
    /// Such a field has no offset in memory. A property that is computed from several fields may have the same effect. Then the
    /// write is what it was at the moment of the other fields' values.
    func isField<Value>(_ write: FieldWrite, holding value: Value) -> Bool {
        guard fields.layout.attributes[write.name] != nil else { return false }
        let optional = value as? any OptionalValue
        if optional?.isNil ?? false { return write.member == nil }
        guard let member = write.member, let value = (optional?.erasedValue ?? value) as? any Encodable
        else { return false }
        return isIdentical(member, to: value)
    }

    private func isIdentical(_ member: any RowMember, to value: some Encodable) -> Bool {
        ValueMember(value: value).isIdentical(to: member)
    }

    // MARK: Committing

    /// Makes writes, and computes them again while the values that they depend on change before the commit.
    ///
    /// - Parameter change: Returns the writes; nil to end without one.
    /// - Returns: The change that was made; nil if there was nothing to write.
    func commit(
        _ options: SettingsStoreBatch.Options, _ change: () throws(SettingsError) -> FieldChange?
    ) throws(SettingsError) -> FieldChange? {
        for _ in 0..<CoreLimits.transactionAttempts {
            let wasOpen = isOpen
            guard let change = try change() else { return nil }
            if !wasOpen && isOpen { continue }
            // The values that other machines have agreed on may be newer.
            let mustConfirm =
                options.waitsForAgreement && change.isWhole && connection.store?.feed.agreesWithOthers ?? false
            if change.writes.isEmpty, !mustConfirm { return nil }
            var batch = SettingsStoreBatch(
                writes: change.writes.map { .init(key: fields.key($0.name), data: $0.data) }, options: options)
            batch.options.isKept = options.isKept && !isOpen
            if !batch.options.isKept {
                batch.expectations =
                    change.isWhole
                    ? change.loaded.stored.map { name, stored in stored.entry(for: fields.key(name)) }
                    : batch.writes.enumerated().compactMap { index, write in
                        change.loaded.stored[change.writes[index].name]?.entry(for: write.key)
                    }
            }
            if try apply(batch) { return change }
        }
        throw SettingsError(.conflict)
    }

    private func apply(_ batch: SettingsStoreBatch) throws(SettingsError) -> Bool {
        let store = try connection.requireStore(for: batch.writes.first?.key)
        do throws(SettingsError) {
            do throws(SettingsError) {
                return try store.apply(batch)
            } catch  where error.code == .locked && store.isLayered {
                // Only reading all candidates shows whether the fields accept those that lock them.
                var batch = batch
                for (name, candidates) in try disregardedLocks() {
                    batch.options.disregardedLocks[fields.prefix + name] = candidates
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
        let prefix = fields.prefix
        var names = Set(fields.names.map { prefix + $0 })
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
        let scope = fields.recordKey.scope
        let removable = try store.removable(names.filter(SettingsService.StorageKey.isValid), in: scope)
        if removable.isEmpty { return }
        let writes = removable.map { SettingsStoreBatch.Entry(key: .init($0, scope: scope), data: nil) }
        _ = try apply(SettingsStoreBatch(writes: writes, options: options))
    }
}
