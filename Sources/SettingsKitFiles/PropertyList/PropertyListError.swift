import SettingsKitCore

/// The reason why a property list could not be read or written.
///
/// The description never contains any of the file's contents, so it can be logged.
package struct PropertyListError: ValueFreeError, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// There are no bytes, or nothing but white space.
        case empty
        /// The bytes are neither an XML nor a binary property list.
        case notAPropertyList
        /// The file begins as a property list, but breaks the rules of the format at the offset given.
        case malformed
        /// The file ends before the property list does.
        case truncated
        /// Arrays and dictionaries are nested deeper than ``PropertyListLimits/depth``.
        case tooDeep
        /// A binary file stands for more values or bytes than ``PropertyListLimits`` allows for its size.
        case tooLarge
        /// The binary file is of a version from 10 on.
        case unsupportedVersion
        /// The property list is intact, but its outermost value is not a dictionary.
        case rootIsNotADictionary
        /// A string holds characters that XML 1.0 cannot hold, or a value is nested too deeply.
        case notRepresentable
    }

    package var kind: Kind
    /// Where in the file the error was found, in bytes from its start; `nil` in writing, and in XML files that are not in UTF-8 or have carriage returns.
    package var offset: Int?
    /// Where in the text of an XML file the error was found. A reader sets it when it throws the error to its caller.
    package var position: TextPosition?

    package init(_ kind: Kind, at offset: Int? = nil, _ position: TextPosition? = nil) {
        self.kind = kind
        self.offset = offset
        self.position = position
    }

    /// The same error for the caller of a reader, who sees the file and not the text that was made of it.
    func located(in text: XMLDocumentText) -> PropertyListError {
        PropertyListError(
            kind, at: text.isConverted ? nil : offset,
            offset.map { TextPosition(of: $0, in: text.bytes, from: text.start) })
    }

    package var description: String {
        let sentence =
            switch kind {
            case .empty: "The property list is empty"
            case .notAPropertyList: "The file is not an XML or binary property list"
            case .malformed: "The property list is malformed"
            case .truncated: "The property list ends too early"
            case .tooDeep: "The property list is nested more than \(PropertyListLimits.depth) levels deep"
            case .tooLarge: "The property list has more shared values than its size allows"
            case .unsupportedVersion: "The property list has a version that is not supported"
            case .rootIsNotADictionary: "The outermost value of the property list is not a dictionary"
            case .notRepresentable:
                "The value contains characters that an XML property list cannot represent, or is nested too deeply"
            }
        if let position { return "\(sentence) (\(position))." }
        if let offset { return "\(sentence) (at byte \(offset))." }
        return "\(sentence)."
    }
}
