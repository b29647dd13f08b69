import Foundation

@testable import SettingsKitFiles

/// Random property list values.
struct RandomPropertyList {
    var generator: SeededGenerator
    /// Whether control characters may occur in strings, which XML cannot hold.
    var usesControlCharacters = false
    /// Whether carriage returns may occur in strings, which Foundation's writer leaves to be turned into line feeds.
    var usesCarriageReturns = true

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func members(depth: Int = 4, count: Int = 12) -> [PropertyListMember] {
        var members: [PropertyListMember] = []
        for _ in 0..<Int.random(in: 0...count, using: &generator) {
            members.append(PropertyListMember(key: string(), value: value(depth: depth - 1)))
        }
        return members.keepingLastOfEachKey()
    }

    mutating func value(depth: Int) -> PropertyListValue {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 8), using: &generator) {
        case 0: .boolean(Bool.random(using: &generator))
        case 1: .integer(Int64(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0..<64, using: &generator)))
        case 2: .integer(-Int64(generator.next() >> UInt64.random(in: 1..<64, using: &generator)))
        case 3: .unsigned(generator.next() | 1 << 63)
        case 4: .real(double())
        case 5: .date(Double.random(in: -60_000_000_000..<250_000_000_000, using: &generator).rounded(.down))
        case 6: .data(data())
        case 7: .string(string())
        case 8: .array((0..<Int.random(in: 0...6, using: &generator)).map { _ in value(depth: depth - 1) })
        default: .dictionary(members(depth: depth, count: 6))
        }
    }

    mutating func double() -> Double {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return Double(Int.random(in: -1000...1000, using: &generator))
        case 1: return Double.random(in: -1...1, using: &generator)
        case 2: return Double(Int.random(in: -99999...99999, using: &generator)) / 100
        default:
            let number = Double(bitPattern: generator.next())
            return number.isFinite && Self.hasExactText(number) ? number : 0.1
        }
    }

    /// Whether the fewest digits of a number are also those of the whole number that it is, which larger ones seldom are.
    static func hasExactText(_ number: Double) -> Bool {
        guard let whole = Int128(exactly: number) else { return true }
        return Decimal(string: "\(whole)") == Decimal(string: "\(number)")
    }

    mutating func data() -> Data {
        Data((0..<Int.random(in: 0...120, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    mutating func string() -> String {
        let pieces: [String] = [
            "a", "B", "7", " ", "\t", "\n", "\r", "\r\n", "<", ">", "&", "&amp;", "\"", "'", "]]>", "<!--", "/", "\\",
            "é", "e\u{301}", "ß", "漢", "😀", "\u{2028}", "\u{85}", "\u{7F}", "x\u{FEFF}", "%", "%41", "</string>", "-",
        ]
        let control = ["\u{1}", "\u{8}", "\u{C}", "\u{1F}", "\u{FFFE}", "\u{FFFF}", PropertyListKey.prefix]
        let all = usesControlCharacters ? pieces + control : pieces
        let string = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            all.randomElement(using: &generator) ?? ""
        }
        .joined()
        return usesCarriageReturns
            ? string : String(String.UnicodeScalarView(string.unicodeScalars.filter { $0 != "\r" }))
    }
}

/// A value in the form that Foundation's `PropertyListSerialization` takes and gives.
func foundationObject(_ value: PropertyListValue) -> Any {
    switch value {
    case .boolean(let isTrue): NSNumber(value: isTrue)
    case .integer(let number): NSNumber(value: number)
    case .unsigned(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .string(let string): string
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let data): data
    case .array(let values): values.map { foundationObject($0) }
    case .dictionary(let members):
        Dictionary(members.map { ($0.key, foundationObject($0.value)) }, uniquingKeysWith: { $1 })
    }
}

/// A value with the members of all dictionaries sorted by key, to compare where the order is not kept.
func sorted(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .array(let values):
        .array(values.map { sorted($0) })
    case .dictionary(let members):
        .dictionary(
            members.map { PropertyListMember(key: $0.key, value: sorted($0.value)) }.sorted { $0.key < $1.key })
    default:
        value
    }
}

/// What an error is thrown for, or `nil` where none is.
func failure(_ body: () throws(PropertyListError) -> Void) -> PropertyListError.Kind? {
    do throws(PropertyListError) {
        try body()
        return nil
    } catch {
        return error.kind
    }
}

func failure(reading data: Data) -> PropertyListError.Kind? {
    failure { () throws(PropertyListError) in _ = try PropertyListReader.read(data) }
}

func failure(reading text: String) -> PropertyListError.Kind? {
    failure(reading: Data(text.utf8))
}

/// The value that `text` holds inside a `plist` element.
func readBody(_ text: String) throws -> PropertyListValue {
    try PropertyListReader.read(Data("<plist version=\"1.0\">\(text)</plist>".utf8))
}

/// A small dictionary with a value of every kind.
let sampleMembers: [PropertyListMember] = [
    PropertyListMember(key: "flag", value: .boolean(true)),
    PropertyListMember(key: "off", value: .boolean(false)),
    PropertyListMember(key: "count", value: .integer(-42)),
    PropertyListMember(key: "große & kleine", value: .unsigned(.max)),
    PropertyListMember(key: "ratio", value: .real(0.1)),
    PropertyListMember(key: "text", value: .string("a <b> & \"c\"\r\n\td 漢😀")),
    PropertyListMember(key: "moment", value: .date(700_000_000)),
    PropertyListMember(key: "bytes", value: .data(Data(0..<200))),
    PropertyListMember(
        key: "nest",
        value: .dictionary([
            PropertyListMember(key: "inner", value: .array([.integer(1), .string("x"), .array([]), .dictionary([])])),
            PropertyListMember(key: "deep", value: .dictionary([PropertyListMember(key: "k", value: .real(1.5))])),
        ])),
    PropertyListMember(key: "last", value: .string("end")),
]
