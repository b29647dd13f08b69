#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension XMLPropertyListParser {
    /// Reads the value of an element without inner elements, whose tag has been read, and moves past the element.
    ///
    /// Throws `malformed` for the tag if its text is not of the required kind.
    mutating func readScalar(_ tag: XMLTag) throws(PropertyListError) -> PropertyListValue {
        guard tag.form != .closing else { throw PropertyListError(.malformed, at: tag.offset) }
        let value =
            tag.form == .selfClosed
            ? emptyValue(of: tag.element)
            : try value(of: tag.element)
        guard let value else { throw PropertyListError(.malformed, at: tag.offset) }
        return value
    }

    private func emptyValue(of element: XMLElement) -> PropertyListValue? {
        switch element {
        case .true: .boolean(true)
        case .false: .boolean(false)
        case .string: .string("")
        case .data: .data(Data())
        case .array: .array([])
        case .dict: .dictionary([])
        case .integer, .real, .date, .key, .plist: nil
        }
    }

    private mutating func value(of element: XMLElement) throws(PropertyListError) -> PropertyListValue? {
        switch element {
        case .string:
            return try scanner.readText(of: element).string().map { .string($0) }
        case .integer:
            return NumberText.integer(try scanner.readText(of: element).trimmed)
        case .real:
            return NumberText.real(try scanner.readText(of: element).trimmed).map { .real($0) }
        case .date:
            return GregorianDate.seconds(try scanner.readText(of: element).trimmed, carries: true).map { .date($0) }
        case .data:
            return .data(Data(Base64Text.decode(try scanner.readText(of: element))))
        case .true, .false:
            try scanner.skipMiscellany()
            try scanner.skipEndTag(of: element)
            return .boolean(element == .true)
        case .key, .plist, .array, .dict:
            return nil
        }
    }
}
