import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file with an object in JSON, which has a member for each setting.
///
/// Reading takes linear time, and follows RFC 8259. White space may be anywhere between tokens. Of repeated names the last
/// counts. Values are nested at most 512 levels deep.
package enum JSONMembersFile {
    /// Reads the members of the object in a file, and calls `body` with each in the order of the file. The value is in the form
    /// in which the library writes it.
    package static func read(
        _ file: Data, _ body: (_ name: String, _ json: Data) throws(TransferProblem) -> Void
    ) throws(TransferProblem) {
        let isMarked = file.starts(with: [0xEF, 0xBB, 0xBF])
        let bytes = oneLine(isMarked ? file.dropFirst(3) : file)
        let problem: TransferProblem? = bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, 0..<bytes.count)
            do throws(TransferProblem) {
                try readMembers(&scanner, body)
                return nil
            } catch {
                var problem = error
                problem.line = 1 + file.prefix(scanner.position).count { $0 == 0x0A }
                return problem
            }
        }
        if let problem { throw problem }
    }

    /// The members of the object in a file, by name.
    static func members(of file: Data) throws(TransferProblem) -> [String: Data] {
        var members: [String: Data] = [:]
        try read(file) { name, json in members[name] = json }
        return members
    }

    private static func readMembers(
        _ scanner: inout JSONScanner, _ body: (String, Data) throws(TransferProblem) -> Void
    ) throws(TransferProblem) {
        skipSpace(&scanner)
        guard scanner.skip("{") else { throw TransferProblem(message: "The file is not a JSON object.") }
        skipSpace(&scanner)
        if !scanner.skip("}") {
            repeat {
                skipSpace(&scanner)
                guard let name = scanner.readString() else {
                    throw TransferProblem(message: "Expected a name in quotation marks.")
                }
                skipSpace(&scanner)
                guard scanner.skip(":") else { throw TransferProblem(message: "Expected a colon after the name.") }
                guard let range = scanner.skipValue(), let json = StoredText.canonicalJSON(range, in: scanner.bytes)
                else {
                    throw TransferProblem(message: "The value is not JSON, or is nested too deeply.")
                }
                try body(name, json)
                skipSpace(&scanner)
            } while scanner.skip(",")
            guard scanner.skip("}") else { throw TransferProblem(message: "Expected a comma or a closing brace.") }
        }
        skipSpace(&scanner)
        guard scanner.isAtEnd else { throw TransferProblem(message: "Unexpected text after the object.") }
    }

    /// The same bytes, with a space in place of each line break outside of strings.
    private static func oneLine(_ file: Data) -> [UInt8] {
        var bytes = Array(file)
        var (isString, isEscaped) = (false, false)
        for index in bytes.indices {
            switch bytes[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isString
            case UInt8(ascii: "\""): isString.toggle()
            case 0x0A, 0x0D: if !isString { bytes[index] = 0x20 }
            default: break
            }
        }
        return bytes
    }

    private static func skipSpace(_ scanner: inout JSONScanner) {
        while scanner.skip(" ") || scanner.skip("\t") {}
    }
}
