/// The values of a layer that is no store: arguments, variables, or files that others write.
///
/// Only a setting's name leads to its value, because several spellings stand for one name. So the text has no list of names.
package protocol LayerText: Sendable {
    /// Whether no setting can have a value.
    var isEmpty: Bool { get }

    /// Returns the candidate for a setting; nil if there is none.
    func candidate(for name: SpelledName) -> SettingsStoreCandidate?

    /// Returns the entries that do not have the meaning that their author expects.
    ///
    /// - Parameter names: The names of all settings.
    func findings(for names: [String]) -> [LayerTextFinding]
}

/// An entry of a layer's text that does not have the meaning that its author expects.
package struct LayerTextFinding: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// No setting has the name.
        case unknownName
        /// No setting has the variable.
        case unknownVariable
        /// No setting has the option. It may be the program's.
        case unknownOption
        /// Another entry of the same setting counts.
        case repeatedName
        /// Another file takes precedence.
        case secondFile
        /// The entry is a symbolic link to a file outside the directory.
        case outsideLink
        /// The entry is no file, or cannot be read.
        case unreadable
    }

    package var kind: Kind
    /// The name in the text.
    package var name: String
    /// The name that was probably meant.
    package var similarName: String?
    /// The place in the text, for messages.
    package var location: String?

    package init(_ kind: Kind, name: String, similarName: String? = nil, location: String? = nil) {
        (self.kind, self.name, self.similarName, self.location) = (kind, name, similarName, location)
    }
}

/// Text without a value.
package struct EmptyText: LayerText {
    package init() {}

    package var isEmpty: Bool { true }

    package func candidate(for name: SpelledName) -> SettingsStoreCandidate? { nil }

    package func findings(for names: [String]) -> [LayerTextFinding] { [] }
}

/// The place of a layer's text that can change while the program runs.
package protocol FollowedText: Sendable {
    /// Reads the text, and reads it again after each change.
    ///
    /// - Parameter receive: Called with the first reading before this function returns, and later with those that differ, one call
    ///   after the other, with no lock held.
    /// - Returns: An object that follows the text until it is released.
    /// - Throws: The error because of which there can be no layer.
    func follow(_ receive: @escaping @Sendable (LayerTextReading) -> Void) throws(SettingsError) -> any Sendable
}

/// The result of reading a layer's text.
package enum LayerTextReading: Sendable {
    case text(any LayerText)
    /// The last text that was read stays in force.
    case failed(SettingsError)
}
