#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    /// Converts values of an older version of a program; see ``SettingsService/migrate(_:ledger:in:)``.
    ///
    /// ```swift
    /// try settings.migrate([
    ///     .rename("OldCityKey", to: .city) { (old: String) in City(rawValue: old) },
    ///     .version("2026-11-compact") { t in t.set(.layout, to: .compact) },
    /// ])
    /// ```
    public struct Migration: Sendable {
        /// The id of a version, or the old name of a value.
        let name: String
        /// The name of the step in messages.
        let description: String
        /// The id that the ledger lists; nil for a step that looks for its source in each migration.
        let version: String?
        let body: @Sendable (inout Transaction) throws -> Void

        /// Runs at most once per store; the ledger lists its `id`.
        ///
        /// On a new installation, with nothing stored, it also runs.
        ///
        /// - Parameters:
        ///   - id: An id that is never used for another step, preferably a date and a word.
        ///   - body: Reads and writes settings. If a value it read changes before the commit, it runs again, so it should only
        ///     compute. If it throws, nothing is changed.
        public static func version(
            _ id: String, _ body: @escaping @Sendable (_ transaction: inout Transaction) throws -> Void
        ) -> Migration {
            Migration(name: id, description: "version \"\(id)\"", version: id, body: body)
        }

        /// Moves a value from an older version's name to a setting, and converts it.
        ///
        /// If nothing is stored under the old name, the step does nothing. If `convert` returns nil, or if the setting
        /// already has another value, the old value stays. Otherwise the old name is removed when the new value is
        /// stored safely. The ledger does not list this step; each migration tries it. If the old value is in a store that cannot be
        /// written, such as a ``LayeredStore`` of files only, the migration fails with the name of the file.
        ///
        /// The old name may be the setting's present one, to change the type of a value in place: the value is converted if it
        /// cannot be decoded as the setting's type.
        ///
        /// - Parameters:
        ///   - oldName: The full name in the store.
        ///   - scope: The scope of the store with the old value; nil for the setting's scope.
        ///   - setting: The setting that receives the value.
        ///   - convert: Converts the old value, which was stored as JSON, or natively in a property list.
        public static func rename<Old: Codable & Sendable, New>(
            _ oldName: String, in scope: Scope? = nil, to setting: Setting<New>,
            convert: @escaping @Sendable (_ old: Old) throws -> New?
        ) -> Migration {
            let source = StorageKey(oldName, scope: scope ?? setting.key.scope).holding(Old.self)
            return Migration(name: oldName, description: "rename \(source)", version: nil) { transaction in
                guard let data = try transaction.dataToMove(from: source) else { return }
                if transaction.areOne(source, setting.key), setting.coding.isExactForm(data) { return }
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

        /// Moves a value from an older version's name to a setting, unchanged.
        ///
        /// Works like ``rename(_:in:to:convert:)`` for a value that is stored in the same form.
        public static func rename(
            _ oldName: String, in scope: Scope? = nil, to setting: SettingDefinition
        ) -> Migration {
            let source = StorageKey(oldName, scope: scope ?? setting.key.scope).holding(setting.key.valueType)
            return Migration(name: oldName, description: "rename \(source)", version: nil) { transaction in
                guard !transaction.areOne(source, setting.key), let data = try transaction.dataToMove(from: source)
                else {
                    return
                }
                transaction.move(data, from: source, to: setting.key) { $0.write(data, for: setting.key) }
            }
        }

        /// Moves a setting's value from the store of another scope, where an older version kept it.
        ///
        /// If the program no longer uses that store, register it for a custom scope first.
        public static func move(_ setting: SettingDefinition, from scope: Scope) -> Migration {
            rename(setting.key.name, in: scope, to: setting)
        }
    }
}

extension SettingsService {
    /// The outcome of a migration.
    public struct MigrationReport: Sendable, Equatable {
        /// The ids of the versions that were applied, in order.
        public let appliedVersions: [String]
        /// The ids of unknown versions, which a newer version of the program has applied.
        public let unknownVersions: [String]
    }

    /// The step of a migration that failed, and the reason. It is the underlying error of a ``SettingsError`` with the
    /// code `migrationFailed`.
    public struct MigrationFailure: ValueFreeError, CustomReflectable {
        /// The step: the id of a version, or the old name of a value.
        public let step: String
        /// The error that the step threw, or that occurred while reading or writing.
        public let underlying: any Error
        let stepDescription: String

        init(step: String, underlying: any Error, stepDescription: String) {
            self.step = step
            self.underlying = underlying
            self.stepDescription = stepDescription
        }

        /// A message with the step and the error, without any value.
        public var description: String {
            "In \(stepDescription): \(SettingsError.safeDescription(of: underlying))"
        }

        /// A mirror without the underlying error's contents, so that `dump` shows no value.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }
}
