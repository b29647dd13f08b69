import Foundation
import SettingsKit

/// Settings as an object in JSON, with a member for each.
///
/// A value that is stored as JSON is that JSON. All other stored bytes are `{"$data": "…"}`, in base 64. So are bytes that are
/// JSON but not exactly as the library writes it: whatever is exported, the same bytes are imported. The members `$comment`
/// and `$schema` are ignored, unless they are data.
///
/// Reading takes linear time, and follows RFC 8259. White space may be anywhere between tokens. Of repeated names the last
/// counts. Values are nested at most 512 levels deep.
enum JSONTransfer {
    private static let dataMember = "$data"
    private static let ignored: Set = ["$comment", "$schema"]

    // MARK: Writing

    static func text(of settings: [String: Data]) -> String {
        let members = settings.sorted { $0.key < $1.key }.map {
            (name: $0.key, value: value(of: $0.value, named: $0.key))
        }
        return JSONText.object(members).indented + "\n"
    }

    private static func value(of bytes: Data, named name: String) -> JSONText {
        if !ignored.contains(name), let json = StoredText.json(of: bytes), data(in: bytes) == .value {
            return .value(json)
        }
        return .object([(dataMember, .string(bytes.base64EncodedString()))])
    }

    // MARK: Reading

    static func read(_ file: Data) throws(TransferProblem) -> TransferredSettings {
        var settings = TransferredSettings()
        try readMembers(of: file) { name, json throws(TransferProblem) in
            switch data(in: json) {
            case .value: if !ignored.contains(name) { settings.take(name, json) }
            case .data(let data): settings.take(name, data)
            case .damaged: throw TransferProblem(message: "The text of \(dataMember) is not base 64.")
            }
        }
        return settings
    }

    /// Reads the members of the object in a file, and calls `take` with each in the order of the file. The value is in the form
    /// in which the library writes it.
    static func readMembers(
        of file: Data, _ take: (_ name: String, _ json: Data) throws(TransferProblem) -> Void
    ) throws(TransferProblem) {
        let isMarked = file.starts(with: [0xEF, 0xBB, 0xBF])
        let bytes = oneLine(isMarked ? file.dropFirst(3) : file)
        let problem: TransferProblem? = bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, 0..<bytes.count)
            do throws(TransferProblem) {
                try readMembers(&scanner, take)
                return nil
            } catch {
                var problem = error
                problem.line = 1 + file.prefix(scanner.position).count { $0 == 0x0A }
                return problem
            }
        }
        if let problem { throw problem }
    }

    private static func readMembers(
        _ scanner: inout JSONScanner, _ take: (String, Data) throws(TransferProblem) -> Void
    ) throws(TransferProblem) {
        skipSpace(&scanner)
        guard scanner.skip("{") else { throw TransferProblem(message: "The file is not an object in JSON.") }
        skipSpace(&scanner)
        if !scanner.skip("}") {
            repeat {
                skipSpace(&scanner)
                guard let name = scanner.readString() else {
                    throw TransferProblem(message: "A name in quotation marks is expected.")
                }
                skipSpace(&scanner)
                guard scanner.skip(":") else { throw TransferProblem(message: "A colon is expected after the name.") }
                guard let range = scanner.skipValue(), let json = StoredText.canonicalJSON(range, in: scanner.bytes)
                else {
                    throw TransferProblem(message: "The value is not JSON, or is nested too deeply.")
                }
                try take(name, json)
                skipSpace(&scanner)
            } while scanner.skip(",")
            guard scanner.skip("}") else { throw TransferProblem(message: "A comma or a closing brace is expected.") }
        }
        skipSpace(&scanner)
        guard scanner.isAtEnd else { throw TransferProblem(message: "Something follows the object.") }
    }

    private enum Content: Equatable {
        /// Any other value.
        case value
        case data(Data)
        case damaged
    }

    /// What an object with the single member `$data` stands for.
    private static func data(in json: Data) -> Content {
        guard json.starts(with: "{\"\(dataMember)\":".utf8) else { return .value }
        var texts: [String?] = []
        let isObject = JSONScanner.scan(json) { scanner in
            let bytes = scanner.bytes
            return scanner.readMembers { _, value in
                var content = JSONScanner(bytes, value)
                texts.append(content.readString())
                return true
            }
        }
        guard isObject, texts.count == 1 else { return .value }
        return texts[0].flatMap { Data(base64Encoded: $0) }.map { .data($0) } ?? .damaged
    }

    /// The same bytes with a space in the place of each line break outside of strings.
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
