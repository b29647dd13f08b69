import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is stored of a record's fields: read once, and then kept up to date by what the store announces.
///
/// All changes of a commit are noted inside the channel's lock, so who looks inside of it never sees half of one.
final class StoredRow: Sendable {
    struct Snapshot: Sendable {
        /// What is stored of the fields that are known; nil for nothing.
        var fields: [String: Data?] = [:]
        /// How often everything was forgotten.
        var generation = 0
    }

    private let state = Mutex(Snapshot())

    var snapshot: Snapshot { state.withLock { $0 } }

    func note(_ data: Data?, of field: String) {
        state.withLock { $0.fields[field] = .some(data) }
    }

    /// Takes note of what was read from the store, unless what was announced meanwhile is newer.
    ///
    /// - Parameter generation: That of a snapshot from before reading.
    func complete(_ fields: [String: Data?], generation: Int) {
        state.withLock { state in
            if state.generation == generation { state.fields.merge(fields) { announced, _ in announced } }
        }
    }

    func forget() {
        state.withLock { state in
            state.fields = [:]
            state.generation += 1
        }
    }
}

// @unchecked: inherited from AnyCell; the properties here are `let`s of Sendable types.
/// What a service keeps of one field of a record: who listens to it, and what is stored.
final class FieldCell: AnyCell, @unchecked Sendable {
    private let field: String
    private let row: StoredRow

    init(field: String, name: String, channel: Channel, validity: Validity, row: StoredRow) {
        self.field = field
        self.row = row
        super.init(name: name, channel: channel, validity: validity)
    }

    override func noteStored(_ data: Data?) { row.note(data, of: field) }

    override func forgetStored() { row.forget() }
}
