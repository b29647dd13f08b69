import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A record as it is stored: the bytes of its fields, read once and then kept up to date by what the store publishes, and
/// the decoded value.
///
/// All changes of a commit are noted inside the connection's lock, so inside that lock they are all seen, or none is.
@usableFromInline final class StoredRow<Record: Sendable>: Sendable {
    struct Snapshot: Sendable {
        /// What is stored of the fields that are known.
        var fields: [String: StoredValue] = [:]
        /// Bytes that were no value of their field, and why.
        fileprivate var unusable: [String: (data: Data?, problem: SettingsError)] = [:]
        /// How often everything was forgotten.
        var generation = 0

        /// Why fields hold something else, by name.
        var unreadable: [String: SettingsError] {
            unusable.filter { fields[$0]?.writableData == $1.data }.mapValues(\.problem)
        }
    }

    @usableFromInline let cached = CachedValue<Record>()
    /// A leaf: nothing is called inside it.
    private let state = Mutex(Snapshot(), .leaf)

    var snapshot: Snapshot { state.withLock { $0 } }

    /// Notes that a field has changed.
    func record(_ stored: StoredValue, of field: String) {
        state.withLock { $0.fields[field] = stored }
        cached.invalidate()
    }

    /// Notes that any field may have changed.
    func forget() {
        state.withLock { state in
            state.fields = [:]
            state.generation += 1
        }
        cached.invalidate()
    }

    /// Notes what was read from the store, unless what was published meanwhile is newer.
    ///
    /// - Parameters:
    ///   - unreadable: Why fields are no values.
    ///   - stored: What these fields hold.
    ///   - generation: That of a snapshot from before reading.
    func complete(
        _ fields: [String: StoredValue], unreadable: [String: SettingsError], of stored: [String: StoredValue],
        generation: Int
    ) {
        state.withLock { state in
            if state.generation == generation { state.fields.merge(fields) { published, _ in published } }
            for (name, problem) in unreadable { state.unusable[name] = (stored[name]?.writableData, problem) }
        }
    }
}

/// What a service caches of one field of a record: nothing but its bytes, in the record's row.
final class CachedField<Record: Sendable>: CachedSetting {
    let name: String
    let slot: Int
    private let field: String
    private let row: StoredRow<Record>

    init(field: String, name: String, slot: Int, row: StoredRow<Record>) {
        (self.field, self.name, self.slot, self.row) = (field, name, slot, row)
    }

    var checksChangesFromOutside: Bool { false }
    var keepsSetValues: Bool { false }

    func resolve(_ stored: StoredValue, set: SetValue?) -> Resolution<any Sendable> {
        preconditionFailure("The listeners to a field are signaled, and read the record.")
    }

    func problem(with candidate: SettingsStoreCandidate) -> SettingsError? { nil }

    func invalidate(by change: borrowing SettingsStoreChange) { row.record(change.new, of: field) }

    func invalidate() { row.forget() }
}
