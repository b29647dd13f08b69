import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A stored record: the bytes of its fields, which are read once and then updated with the store's published changes, and the
/// decoded value.
///
/// All changes of a commit are recorded inside the connection's lock. So inside that lock, all of them are visible, or none.
@usableFromInline final class StoredRow<Record: Sendable>: Sendable {
    struct Snapshot: Sendable {
        /// The stored values of the known fields.
        var fields: [String: StoredValue] = [:]
        /// Bytes that are no value of their field, and the reasons.
        fileprivate var unusable: [String: (data: Data?, problem: SettingsError)] = [:]
        /// The number of times that all values were discarded.
        var generation = 0

        /// The reasons why stored bytes are no value of their field, by name.
        var unreadable: [String: SettingsError] {
            unusable.filter { fields[$0]?.writableData == $1.data }.mapValues(\.problem)
        }
    }

    @usableFromInline let cached = CachedValue<Record>()
    /// A leaf: nothing is called inside it.
    private let state = Mutex(Snapshot(), .leaf)

    var snapshot: Snapshot { state.withLock { $0 } }

    /// Records that a field has changed.
    func record(_ stored: StoredValue, of field: String) {
        state.withLock { $0.fields[field] = stored }
        cached.invalidate()
    }

    /// Discards all values, because any field may have changed.
    func forget() {
        state.withLock { state in
            state.fields = [:]
            state.generation += 1
        }
        cached.invalidate()
    }

    /// Records values that were read from the store, unless values that were published meanwhile are newer.
    ///
    /// - Parameters:
    ///   - unreadable: The reasons why fields are no values.
    ///   - stored: The values of these fields.
    ///   - generation: The generation of a snapshot from before the reading.
    func complete(
        _ fields: [String: StoredValue], unreadable: [String: SettingsError], of stored: [String: StoredValue],
        generation: Int
    ) {
        state.withLock { state in
            if state.generation == generation { state.fields.merge(fields) { published, _ in published } }
            for (name, value) in stored {
                if let problem = unreadable[name] {
                    state.unusable[name] = (value.writableData, problem)
                } else if let unusable = state.unusable[name], unusable.data == value.writableData {
                    // A value before is in force now.
                    state.unusable[name] = nil
                }
            }
        }
    }
}

/// The cache of one field of a record: only its bytes, in the record's row.
final class CachedField<Record: Sendable>: CachedSetting {
    let name: String
    let slot: Int
    private let field: String
    private let row: StoredRow<Record>

    init(field: String, name: String, slot: Int, row: StoredRow<Record>) {
        (self.field, self.name, self.slot, self.row) = (field, name, slot, row)
    }

    var isJudged: Bool { false }
    // Creating a record reads it.
    var isUsed: Bool { true }
    func recordUse() {}
    var keepsSetValues: Bool { false }
    var hasPlainValues: Bool { true }
    var token: UInt64 { row.cached.token }

    func cachedValue() -> (any Sendable)? { nil }

    func judge(_ inForce: ValueInForce, after last: ValueInForce?) -> ValueInForce { inForce }

    func problem(with candidate: SettingsStoreCandidate) -> SettingsError? { nil }

    func invalidate(by change: borrowing SettingsStoreChange) { row.record(change.new, of: field) }

    func invalidate() { row.forget() }
}
