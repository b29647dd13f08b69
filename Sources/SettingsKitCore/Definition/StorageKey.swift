extension SettingsService {
    /// The name under which a value is stored, and the scope it was asked for in.
    ///
    /// A store keeps one flat space of names and looks at ``name`` alone; ``scope`` tells a store that serves several
    /// scopes which of them is asking. Two names that are equal as Swift strings (canonical equivalence: `é` however it
    /// is composed) are one key. Names that differ in case are two.
    public struct StorageKey: Hashable, Sendable {
        /// The name, never empty and without NUL; anything else may occur in it, line breaks and emoji included.
        public let name: String
        /// The scope of the setting that is read or written.
        public let scope: Scope

        /// Makes a key.
        ///
        /// - Precondition: `name` is not empty and holds no NUL character. A key's name is part of the program, not
        ///   input, so a wrong one is a programming error.
        public init(_ name: String, scope: Scope) {
            precondition(!name.isEmpty, "The name of a setting must not be empty.")
            precondition(!name.utf8.contains(0), "The name of a setting must not contain a NUL character.")
            self.name = name
            self.scope = scope
        }

        /// Whether `name` can name a setting: not empty, and without NUL.
        public static func isValid(_ name: String) -> Bool {
            !name.isEmpty && !name.utf8.contains(0)
        }
    }
}

extension SettingsService.StorageKey: CustomStringConvertible {
    /// The name in quotation marks and its scope, as messages show it.
    public var description: String { "\"\(name)\" in \(scope)" }
}
