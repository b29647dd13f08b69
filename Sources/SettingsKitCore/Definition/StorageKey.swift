extension SettingsService {
    /// The name of a stored value, and the scope of its setting.
    ///
    /// A store has one flat space of names and uses ``name``. ``scope`` is for a store that serves several scopes. Two names that
    /// are equal as Swift strings (canonical equivalence: `é` in any composition) are one key. Names that differ in case are two.
    public struct StorageKey: Hashable, Sendable {
        /// The name, never empty and without NUL. It may contain any other character, such as line breaks and emoji.
        public let name: String
        /// The scope of the setting that is read or written.
        public let scope: Scope
        /// The type of the setting's value, if its bytes have that type's usual form. Some stores keep values of a type in the form
        /// of other programs, and convert the bytes. Keys that differ only in this property are equal.
        package private(set) var valueType: (any Sendable.Type)?

        /// Creates a key.
        ///
        /// - Precondition: `name` is not empty and has no NUL character. A key's name is part of the program, not input, so an
        ///   invalid one is a programming error.
        public init(_ name: String, scope: Scope) {
            precondition(!name.isEmpty, "The name of a setting must not be empty.")
            precondition(!name.utf8.contains(0), "The name of a setting must not contain a NUL character.")
            self.name = name
            self.scope = scope
        }

        /// Returns the key for values of a type whose bytes have the type's usual form.
        package func holding(_ type: (any Sendable.Type)?) -> StorageKey {
            var key = self
            key.valueType = type
            return key
        }

        /// Returns whether a name is that of an entry of the library, such as the ledger of migrations.
        package static func isLibraryName(_ name: String) -> Bool {
            name.hasPrefix("SettingsKit:") || name.contains(":\(SettingsService.migrationLedger)")
        }

        /// Returns whether both have the same name and scope.
        public static func == (left: StorageKey, right: StorageKey) -> Bool {
            left.name == right.name && left.scope == right.scope
        }

        /// Hashes the name. The keys of a transaction are hashed often, and few of them differ only in the scope.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// Returns whether `name` can name a setting: not empty, and without NUL.
        public static func isValid(_ name: String) -> Bool {
            !name.isEmpty && !name.utf8.contains(0)
        }
    }
}

extension SettingsService.StorageKey: CustomStringConvertible {
    /// The name in quotation marks and its scope, for messages.
    public var description: String { "\"\(name)\" in \(scope)" }
}

extension SettingsService {
    /// The purpose of a setting. The service maps each scope to a store.
    public enum Scope: Hashable, NonisolatedExtensions, Sendable {
        /// Settings of this app on this machine.
        case defaults
        /// Settings that follow a person across devices.
        case shared
        /// Settings in another store of the app, distinguished by `id`.
        case custom(id: String)
    }
}

extension SettingsService.Scope: CustomStringConvertible {
    /// The scope as in source code, for example `.custom(id: "vault")`.
    public var description: String {
        switch self {
        case .defaults: ".defaults"
        case .shared: ".shared"
        case .custom(let id): ".custom(id: \"\(id)\")"
        }
    }
}

/// A type whose extensions in a program are not isolated to the main actor, even if that is the program's default isolation.
///
/// New projects of Xcode have that default. A `static let volume` in an extension of the settings would belong to the main actor,
/// and a closure that runs on any thread could not name it. The default isolation applies neither to the members of a type that
/// conforms to a protocol with `SendableMetatype`, nor to its extensions.
protocol NonisolatedExtensions: SendableMetatype {}
