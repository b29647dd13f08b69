import SettingsCommandLine
import SettingsKit

extension OpenedStore {
    func edited() throws -> EditedSettings {
        let values = try contents().values
        return EditedSettings(
            shown: values.sorted { $0.key < $1.key }.map { ($0.key, JSONTransfer.value(of: $0.value, named: $0.key)) },
            known: values)
    }

    /// - Throws: A failure if no setting can have a name, or the kind of a value is not that of the stored one, as `set` has it.
    func changes(_ values: [EditedValue]) throws -> [StoredDifference] {
        try values.compactMap { name, json in
            var bytes: Data?
            if let json {
                do throws(TransferProblem) {
                    bytes = try JSONTransfer.bytes(of: json, named: name)
                } catch {
                    throw CommandFailure.failure("\(quoted(name)): \(error.description)")
                }
                if bytes == nil { return nil }
            }
            guard SettingsService.StorageKey.isValid(name) else {
                throw CommandFailure.failure("\(quoted(name)): no setting can have this name.")
            }
            let old = try data(named: name)
            if let bytes, let old { try Self.requireSameKind(UntypedValue(old).kind, UntypedValue(bytes).kind, name) }
            return StoredDifference(name: name, old: old, new: bytes)
        }
    }

    private static func requireSameKind(
        _ old: UntypedValue.Kind, _ new: UntypedValue.Kind, _ name: String
    ) throws(CommandFailure) {
        let areNumbers = [old, new].allSatisfy { [.integer, .number].contains($0) }
        if old == new || old == .null || areNumbers { return }
        throw .failure("\(quoted(name)): the kind of the value is \(old.rawValue), not \(new.rawValue).")
    }

    func store(_ changes: [StoredDifference], over known: [String: Data]) throws -> Bool {
        try store.apply(
            SettingsStoreBatch(
                writes: changes.map { .init(key: Self.key($0.name), data: $0.new) },
                expectations: changes.map { .init(key: Self.key($0.name), data: known[$0.name]) }))
    }
}
