import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of a record's fields, which are read once and then updated with the store's published changes.
///
/// All changes of a commit are recorded inside the connection's lock. So inside that lock, all of them are visible, or none.
final class StoredRow: Sendable {
    struct Snapshot: Sendable {
        /// The stored values of the known fields.
        var fields: [String: StoredValue] = [:]
        /// Bytes that are no value of their field. The reason, unless a value before is in force.
        fileprivate var unusable: [String: (data: Data?, problem: SettingsError?)] = [:]
        /// The number of times that all values were discarded.
        var generation = 0

        /// What is known of the fields.
        var loaded: LoadedFields {
            var loaded = LoadedFields(stored: fields)
            for (name, bytes) in unusable where fields[name]?.writableData == bytes.data {
                loaded.rejected.insert(name)
                loaded.unreadable[name] = bytes.problem
            }
            return loaded
        }
    }

    /// The decoded record.
    let value: any CachedRecordValue
    /// A leaf: nothing is called inside it.
    private let state = Mutex(Snapshot(), .leaf)

    init(of value: any CachedRecordValue) { self.value = value }

    var snapshot: Snapshot { state.withLock { $0 } }

    /// Records that a field has changed.
    func record(_ stored: StoredValue, of field: String) {
        state.withLock { $0.fields[field] = stored }
        value.invalidate()
    }

    /// Discards all values, because any field may have changed.
    func forget() {
        state.withLock { state in
            state.fields = [:]
            state.generation += 1
        }
        value.invalidate()
    }

    /// Records values that were read from the store, unless values that were published meanwhile are newer.
    ///
    /// - Parameters:
    ///   - read: The values.
    ///   - loaded: What was found in all fields.
    ///   - generation: The generation of a snapshot from before the reading.
    func complete(_ read: [String: StoredValue], _ loaded: LoadedFields, generation: Int) {
        state.withLock { state in
            if state.generation == generation { state.fields.merge(read) { published, _ in published } }
            for name in loaded.rejected {
                state.unusable[name] = (loaded.stored[name]?.writableData, loaded.unreadable[name])
            }
        }
    }

    /// Returns whether all fields hold the values that a change has left.
    func holds(_ change: FieldChange) -> Bool {
        state.withLock { state in
            guard state.fields.count == change.loaded.stored.count else { return false }
            return state.fields.allSatisfy { name, stored in
                guard stored.candidates == nil, let old = change.loaded.stored[name] else { return false }
                let write = change.writes.first { $0.name == name }
                return write.map { $0.data == stored.data } ?? (old == stored)
            }
        }
    }
}

/// The part of a record's cache that does not depend on the type of the record.
protocol CachedRecordValue: AnyObject, Sendable {
    var token: UInt64 { get }
    func invalidate()
}

/// The decoded record.
@usableFromInline final class RecordValue<Record: Sendable>: CachedRecordValue {
    @usableFromInline let cached = CachedValue<Record>()

    var token: UInt64 { cached.token }

    func invalidate() { cached.invalidate() }
}

/// The cache of one field of a record: only its bytes, in the record's row.
final class CachedField: CachedSetting {
    let name: String
    let slot: Int
    private let field: String
    private let row: StoredRow

    init(field: String, name: String, slot: Int, row: StoredRow) {
        (self.field, self.name, self.slot, self.row) = (field, name, slot, row)
    }

    var isJudged: Bool { false }
    // Creating a record reads it.
    var isUsed: Bool { true }
    func recordUse() {}
    var keepsSetValues: Bool { false }
    var hasPlainValues: Bool { true }
    var token: UInt64 { row.value.token }

    func cachedValue() -> (any Sendable)? { nil }

    func judge(_ inForce: ValueInForce, after last: ValueInForce?) -> ValueInForce { inForce }

    func problem(with candidate: SettingsStoreCandidate) -> SettingsError? { nil }

    func invalidate(by change: borrowing SettingsStoreChange) { row.record(change.new, of: field) }

    func invalidate() { row.forget() }
}
