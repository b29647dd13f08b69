#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    /// One step from what an older version of a program has stored to what this one expects; for
    /// ``SettingsService/migrate(_:ledger:in:)``.
    ///
    /// ```swift
    /// try settings.migrate([
    ///     .rename("OldCityKey", to: .city) { (old: String) in City(rawValue: old) },
    ///     .version("2026-11-compact") { t in t.set(.layout, to: .compact) },
    /// ])
    /// ```
    public struct Migration: Sendable {
        /// The id of a version, or the name that a value is taken from.
        let name: String
        /// What messages call the step.
        let description: String
        /// The id under which it is noted that the step was carried out; nil for one that looks for what it is to do.
        let version: String?
        let body: @Sendable (inout Transaction) throws -> Void

        /// A step that runs at most once per store, recorded under `id`.
        ///
        /// On a fresh installation, with nothing stored, all steps run, too.
        ///
        /// - Parameters:
        ///   - id: Identifies the step for ever; best a date and a word.
        ///   - body: Reads and writes settings. It may run again when another process changes what it has read, so it
        ///     should do nothing but compute. If it throws, nothing is changed.
        public static func version(
            _ id: String, _ body: @escaping @Sendable (_ transaction: inout Transaction) throws -> Void
        ) -> Migration {
            Migration(name: id, description: "version \"\(id)\"", version: id, body: body)
        }

        /// Moves a value from the name of an older version to a setting, and converts it.
        ///
        /// If nothing is stored under the old name, the step does nothing. If `convert` answers nil, the old value stays
        /// where it is, and so it does if the setting has another value by now. Otherwise the old name goes as soon as the
        /// new value is safely stored. The step needs no note of having been carried out, and is tried each time.
        ///
        /// The old name may be the setting's own, to change the type of a value in place: it is converted if it is no value
        /// of the setting yet.
        ///
        /// - Parameters:
        ///   - oldName: The whole name in the store.
        ///   - scope: Whose store has the old value; nil for the setting's own.
        ///   - setting: Where the value belongs now.
        ///   - convert: Makes the new value of the old one, which was stored as JSON, or natively in a property list.
        public static func rename<Old: Codable & Sendable, New>(
            _ oldName: String, in scope: Scope? = nil, to setting: Setting<New>,
            convert: @escaping @Sendable (_ old: Old) throws -> New?
        ) -> Migration {
            let source = StorageKey(oldName, scope: scope ?? setting.key.scope)
            return Migration(name: oldName, description: "rename \(source)", version: nil) { transaction in
                guard let data = transaction.data(for: source) else { return }
                if transaction.areOne(source, setting.key), (try? setting.coding.value(for: data)) != nil { return }
                let old: Old
                do {
                    old = try StoredForm<Old>.standard.decode(data)
                } catch {
                    throw SettingsError(.decodingFailed, key: source, underlying: error)
                }
                guard let new = try convert(old) else { return }
                let newData = try setting.coding.bytes(for: setting.coding.process(new))
                transaction.move(newData, from: source, to: setting.key) { $0.set(setting, to: new) }
            }
        }

        /// Moves a value from the name of an older version to a setting, as it is.
        ///
        /// Like ``rename(_:in:to:convert:)`` with a value that is stored in the same form.
        public static func rename(
            _ oldName: String, in scope: Scope? = nil, to setting: SettingDefinition
        ) -> Migration {
            let source = StorageKey(oldName, scope: scope ?? setting.key.scope)
            return Migration(name: oldName, description: "rename \(source)", version: nil) { transaction in
                guard !transaction.areOne(source, setting.key), let data = transaction.data(for: source) else { return }
                transaction.move(data, from: source, to: setting.key) { $0.write(data, for: setting.key) }
            }
        }

        /// Moves a setting's value from the store of another scope, where an older version has kept it.
        ///
        /// For a store that the program no longer uses otherwise, register it for a custom scope first.
        public static func move(_ setting: SettingDefinition, from scope: Scope) -> Migration {
            rename(setting.key.name, in: scope, to: setting)
        }
    }
}

extension SettingsService.Transaction {
    /// Takes what is stored from one key to another, unless that has another value already.
    fileprivate mutating func move(
        _ data: Data?, from source: SettingsService.StorageKey, to target: SettingsService.StorageKey,
        set: (inout Self) -> Void
    ) {
        if areOne(source, target) { return set(&self) }
        let present = self.data(for: target)
        // The same value can be there already if the program has died between the two stores.
        guard present == nil || present == data else { return }
        set(&self)
        write(nil, for: source)
    }
}
