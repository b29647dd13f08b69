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
    /// - Parameter json: Compact JSON from an encoder: well-formed, and without white space between tokens.
    static func members(of json: Data) throws -> [(name: String, value: Data)] {
        let bytes = [UInt8](json)
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { throw NoObject() }
        var members: [(name: String, value: Data)] = []
        var position = 1
        while position < bytes.count - 1 {
            let nameEnd = endOfString(in: bytes, from: position)
            let name = try JSONScalars.value(String.self, from: Data(bytes[position..<nameEnd]))
            // After the colon.
            let valueStart = nameEnd + 1
            let valueEnd = endOfValue(in: bytes, from: valueStart)
            members.append((name, Data(bytes[valueStart..<valueEnd])))
            // After the comma.
            position = valueEnd + 1
        }
        return members
    }

    /// The position after the closing quotation mark of the string that begins at `start`.
    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return position + 1
    }

    /// The position of the comma or brace after the value that begins at `start`.
    private static func endOfValue(in bytes: [UInt8], from start: Int) -> Int {
        var position = start
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position = endOfString(in: bytes, from: position)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return position }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0: return position
            default: break
            }
            position += 1
        }
        return position
    }
}
