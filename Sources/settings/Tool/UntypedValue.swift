import SettingsCommandLine
import SettingsKit

/// Stored bytes without the type of their setting.
struct UntypedValue: Equatable, Sendable {
    /// The kind of the bytes.
    enum Kind: String, Sendable, CaseIterable {
        case null, boolean, number, text, array, object
        /// Not JSON.
        case data
    }

    let data: Data
    let kind: Kind
    /// The JSON in one line; nil for data.
    let json: String?

    init(_ data: Data) {
        self.data = data
        json = StoredText.canonicalJSON(of: data).map { String(decoding: $0, as: UTF8.self) }
        kind = json.map(Self.kind) ?? .data
    }

    /// The stored text without quotation marks, other JSON unchanged, data in base 64. Not escaped.
    var text: String {
        guard let json else { return data.base64EncodedString() }
        guard kind == .text else { return json }
        return JSONScanner.scan(Data(json.utf8)) { $0.readString() } ?? json
    }

    /// The value in JSON; data is `{"$data": "..."}`, in base 64.
    var jsonText: JSONText {
        json.map { .value($0) } ?? .object([(Self.dataMember, .string(data.base64EncodedString()))])
    }

    /// The number of bytes, for people.
    var size: String { data.count == 1 ? "1 byte" : "\(data.count) bytes" }

    /// The member that holds data in JSON, in base 64.
    static let dataMember = "$data"

    /// The value in at most one line of `columns` columns, escaped. Takes time in proportion to the line, not to the value.
    func summary(columns: Int) -> String {
        if kind == .data { return "data, \(size)" }
        // Each column takes a byte at least, and an invisible character no more than four.
        let text = data.count > columns * 16 ? String(decoding: data.prefix(columns * 16), as: UTF8.self) : text
        return TextLayout.truncated(TextLayout.escaped(text), to: columns)
    }

    // MARK: Reading

    private static func kind(ofJSON json: String) -> Kind {
        switch json.utf8.first {
        case UInt8(ascii: "\""): .text
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        default: .number
        }
    }
}
