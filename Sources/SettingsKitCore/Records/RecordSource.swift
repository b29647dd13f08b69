#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the fields of a record once, and makes the connection record changes of each field that is read.
final class RecordSource: RowSource {
    private let fields: RecordFields
    private let readsStore: Bool
    /// The values that are already known.
    private let known: [String: StoredValue]
    /// The values that were read from the store.
    private(set) var read: [String: StoredValue] = [:]
    /// The values of all fields that the record has read.
    private var stored: [String: StoredValue] = [:]
    /// The fields whose bytes in the writable layer are no value, and the reasons, unless a value before is in force.
    private var rejected: Set<String> = []
    private var unreadable: [String: SettingsError] = [:]
    /// The fields with a rejected candidate.
    private var refused: Set<String> = []
    /// The candidates whose values the fields have.
    private var accepted: [String: SettingsStoreCandidate] = [:]
    /// The first error of the store.
    private(set) var error: SettingsError?
    /// Fields that the record decodes itself.
    private var opened: [String] = []
    private var leftOut: Set<String> = []
    private var isReporting = true

    init(_ fields: RecordFields, known: [String: StoredValue], readsStore: Bool = true) {
        self.fields = fields
        self.known = known
        self.readsStore = readsStore
    }

    /// Decodes a record. Fields that the record decodes itself, and cannot decode, are omitted one after the other.
    ///
    /// - Parameter decode: Decodes a record from a row.
    /// - Returns: The error if the stored fields are no record.
    /// - Throws: The error of the store.
    func load(_ decode: (SettingsRow) throws -> Void) throws(SettingsError) -> SettingsError? {
        while true {
            HeldLocks.requireNone(before: "decoding")
            do {
                try decode(SettingsRow(source: self))
                if let error { throw error }
                return nil
            } catch {
                if let error = self.error { throw error }
                if leaveOut(becauseOf: error) { continue }
                return .wrap(
                    error, as: .decodingFailed, key: fields.recordKey, store: fields.connection.store?.description)
            }
        }
    }

    /// What was found in the fields that the record has read.
    var loaded: LoadedFields {
        var loaded = LoadedFields(stored: stored, rejected: rejected, unreadable: unreadable)
        for (name, value) in stored where value.candidates != nil && accepted[name]?.isLocking != true {
            let locks = value.all.filter { $0.isLocking }
            if !locks.isEmpty { loaded.disregardedLocks[name] = locks }
        }
        return loaded
    }

    private func value(_ name: String) -> StoredValue {
        if leftOut.contains(name) { return .nothing }
        if let value = stored[name] { return value }
        if let value = known[name] {
            stored[name] = value
            return value
        }
        guard SettingsService.StorageKey.isValid(fields.prefix + name) else { return .nothing }
        fields.add(name)
        guard readsStore else { return .nothing }
        do throws(SettingsError) {
            let key = fields.key(name)
            let value = try fields.connection.requireStore(for: key).read(key)
            read[name] = value
            stored[name] = value
            return value
        } catch {
            self.error = self.error ?? error
            return .nothing
        }
    }

    /// Omits the fields that may have caused a failure: those that cannot be decoded, or the last one that the record decodes
    /// itself.
    ///
    /// - Returns: false if there is none.
    private func leaveOut(becauseOf error: any Error) -> Bool {
        var suspects = refused.subtracting(leftOut).filter { accepted[$0] == nil }
        if suspects.isEmpty, let last = opened.last(where: { !leftOut.contains($0) }) {
            if let candidate = stored[last]?.all.first { record(error, with: last, candidate) }
            suspects = [last]
        }
        leftOut.formUnion(suspects)
        opened = []
        return !suspects.isEmpty
    }

    // MARK: The row's source

    var defaultNames: [String] { Array(fields.defaults.keys) }

    func attribute(of name: String) -> (any FieldAttribute)? { fields.layout.attributes[name] }

    func defaultData(_ name: String) -> Data? { fields.defaults[name] }

    func data(_ name: String) -> Data? { value(name).data }

    func candidates(_ name: String) -> [SettingsStoreCandidate] { value(name).all }

    private var earlier: EarlierBytes? { fields.connection.store?.feed.earlier }

    func earlier(before candidate: SettingsStoreCandidate, of name: String) -> [Data?] {
        earlier?.bytes(before: candidate, named: fields.prefix + name) ?? []
    }

    func withoutReporting<Result>(_ body: () -> Result) -> Result {
        isReporting = false
        defer { isReporting = true }
        return body()
    }

    func accept(_ candidate: SettingsStoreCandidate, of name: String) {
        accepted[name] = candidate
        if candidate.layer == nil { unreadable[name] = nil }
        judge(candidate, of: name, isAccepted: true)
    }

    func recordOpening(_ name: String) { opened.append(name) }

    func record(_ error: any Error, with name: String, _ candidate: SettingsStoreCandidate) {
        refused.insert(name)
        judge(candidate, of: name, isAccepted: false)
        guard isReporting else { return }
        let problem = error as? SettingsError ?? SettingsError(.decodingFailed, underlying: error)
        // A layer that is not written to stays unchanged.
        if candidate.layer == nil {
            rejected.insert(name)
            unreadable[name] = problem
        }
        fields.connection.reportOnce(
            problem.completed(key: fields.key(name), store: candidate.location, layer: candidate.layer),
            bytes: candidate.data)
    }

    private func judge(_ candidate: SettingsStoreCandidate, of name: String, isAccepted: Bool) {
        guard let earlier, !earlier.isEmpty else { return }
        earlier.record(candidate, named: fields.prefix + name, isAccepted: isAccepted)
    }
}
