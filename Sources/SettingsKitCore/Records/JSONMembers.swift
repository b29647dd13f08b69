#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Splits an encoded object into its members.
enum JSONMembers {
    /// The error that the value is not encoded as an object, and so has no members.
    struct NoObject: ValueFreeError {
        var description: String { "It is not encoded as a keyed container." }
    }

    /// Returns the names and values of an object's members.
    ///
    /// - Parameter json: Compact JSON from an encoder: without white space between tokens.
    static func members(of json: Data) throws -> [(name: String, value: Data)] {
        try JSONScanner.scan(json) { scanner in
            var members: [(name: String, value: Data)] = []
            let text = scanner
            let isObject = scanner.readMembers { name, value in
                guard let name = text.string(in: name) else { return false }
                members.append((name, Data(text.bytes[value])))
                return true
            }
            guard isObject, scanner.isAtEnd else { throw NoObject() }
            return members
        }
    }
}
