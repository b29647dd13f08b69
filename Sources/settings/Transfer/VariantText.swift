import SettingsCommandLine
import SettingsKit

/// Reads a value in the text form of GVariant, as JSON in its stored form.
struct VariantText {
    struct Problem: Error, Equatable {
        var reason: String

        static let notAValue = Problem(reason: "its text is not a value of GVariant")
        static let tooDeep = Problem(reason: "it is nested more than \(ToolLimits.variantDepth) levels deep")
        static let notFinite = Problem(reason: "JSON has no number that is infinite or not a number")
        static let numberTooLarge = Problem(reason: "its number is too large")
        static let entry = Problem(reason: "a dictionary entry outside of a dictionary has no JSON")
        static let nestedBytes = Problem(reason: "a byte string inside another value has no JSON")
    }

    /// A value: its JSON, or bytes.
    private enum Value {
        case json([UInt8])
        case bytes(Data)
    }

    private let text: [UInt8]
    private var position = 0

    private init(_ text: [UInt8]) { self.text = text }

    /// The stored bytes of a text.
    static func bytes(of text: [UInt8]) -> Result<Data, Problem> {
        var reader = VariantText(text)
        do throws(Problem) {
            let value = try reader.readValue(depth: 0)
            reader.skipSpace()
            guard reader.position == text.count else { throw .notAValue }
            switch value {
            case .json(let json): return .success(Data(json))
            case .bytes(let data): return .success(data)
            }
        } catch {
            return .failure(error)
        }
    }

    // MARK: Values

    private mutating func readValue(depth: Int) throws(Problem) -> Value {
        guard depth < ToolLimits.variantDepth else { throw .tooDeep }
        skipSpace()
        guard let first = next else { throw .notAValue }
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .json(Array(StoredText.json(ofString: try readString())))
        case UInt8(ascii: "["): return .json(try readList(from: "[", to: "]", depth: depth))
        case UInt8(ascii: "("): return .json(try readList(from: "(", to: ")", depth: depth))
        case UInt8(ascii: "{"): return .json(try readDictionary(depth: depth))
        case UInt8(ascii: "<"):
            position += 1
            let value = try readValue(depth: depth + 1)
            try expect(">")
            return value
        case UInt8(ascii: "@"):
            // The type of the value, which its JSON does not need.
            position += 1
            let type = readWord { Self.isLetter($0) || "(){}*?".utf8.contains($0) }
            guard !type.isEmpty else { throw .notAValue }
            return try readValue(depth: depth + 1)
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .json(try readNumber())
        case UInt8(ascii: "b") where position + 1 < text.count && "'\"".utf8.contains(text[position + 1]):
            position += 1
            return .bytes(try readByteString())
        default: return try readKeyword(depth: depth)
        }
    }

    private mutating func readKeyword(depth: Int) throws(Problem) -> Value {
        let word = readWord { Self.isLetter($0) || Self.isDigit($0) }
        switch word {
        case "true", "false": return .json(Array(word.utf8))
        case "nothing": return .json(Array("null".utf8))
        case "nan", "inf", "infinity": throw .notFinite
        case "just", "boolean", "byte", "int16", "uint16", "int32", "uint32", "handle", "int64", "uint64", "double",
            "string", "objectpath", "signature":
            return try readValue(depth: depth + 1)
        default: throw .notAValue
        }
    }

    private mutating func readJSON(depth: Int) throws(Problem) -> [UInt8] {
        switch try readValue(depth: depth) {
        case .json(let json): return json
        case .bytes: throw .nestedBytes
        }
    }

    /// Reads an array or a tuple.
    private mutating func readList(
        from opening: Unicode.Scalar, to closing: Unicode.Scalar, depth: Int
    ) throws(Problem) -> [UInt8] {
        try expect(opening)
        var json = [UInt8(ascii: "[")]
        while !skip(closing) {
            if json.count > 1 {
                try expect(",")
                // A tuple of one element ends with a comma.
                if skip(closing) { break }
                json.append(UInt8(ascii: ","))
            }
            json += try readJSON(depth: depth + 1)
        }
        return json + [UInt8(ascii: "]")]
    }

    private mutating func readDictionary(depth: Int) throws(Problem) -> [UInt8] {
        try expect("{")
        var json = [UInt8(ascii: "{")]
        while !skip("}") {
            if json.count > 1 {
                try expect(",")
                json.append(UInt8(ascii: ","))
            }
            let key = try readJSON(depth: depth + 1)
            switch key.first {
            case UInt8(ascii: "\""): json += key
            // A number or a Boolean as a name.
            case UInt8(ascii: "["), UInt8(ascii: "{"): throw .notAValue
            default: json += [UInt8(ascii: "\"")] + key + [UInt8(ascii: "\"")]
            }
            if !skip(":") {
                // `{key, value}` is an entry.
                throw skip(",") ? .entry : .notAValue
            }
            json.append(UInt8(ascii: ":"))
            json += try readJSON(depth: depth + 1)
        }
        return json + [UInt8(ascii: "}")]
    }

    // MARK: Numbers

    private mutating func readNumber() throws(Problem) -> [UInt8] {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        let word = readWord { Self.isLetter($0) || Self.isDigit($0) || "+-.".utf8.contains($0) }
        // A second sign.
        guard let first = word.utf8.first, !"+-".utf8.contains(first) else { throw .notAValue }
        if ["inf", "infinity", "nan"].contains(word) { throw .notFinite }
        let lowercase = word.lowercased()
        let isHexadecimal = lowercase.hasPrefix("0x")
        let isOctal = !isHexadecimal && word.utf8.count > 1 && word.utf8.allSatisfy(Self.isDigit) && word.hasPrefix("0")
        if isHexadecimal || isOctal || word.utf8.allSatisfy(Self.isDigit) {
            let digits = isHexadecimal ? word.dropFirst(2) : word[...]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ Self.isDigit($0) || Self.isLetter($0) }) else {
                throw .notAValue
            }
            guard let magnitude = UInt64(digits, radix: isHexadecimal ? 16 : isOctal ? 8 : 10) else {
                let isNumber = isHexadecimal ? digits.utf8.allSatisfy { Self.isHexadecimal($0) } : !isOctal
                throw isNumber ? .numberTooLarge : .notAValue
            }
            guard !isNegative || magnitude <= Int64.min.magnitude else { throw .numberTooLarge }
            return Array((isNegative && magnitude > 0 ? "-" : "").utf8) + Array(String(magnitude).utf8)
        }
        guard word.utf8.contains(where: Self.isDigit), !lowercase.contains("p"), !lowercase.contains("n"),
            let number = Double(word)
        else { throw .notAValue }
        guard number.isFinite else { throw .numberTooLarge }
        return Array(NativeValue.bytes(of: .real(isNegative ? -number : number)))
    }

    // MARK: Strings

    private mutating func readString() throws(Problem) -> String {
        var bytes: [UInt8] = []
        let mark = text[position]
        position += 1
        while position < text.count {
            let byte = text[position]
            position += 1
            if byte == mark { return String(decoding: bytes, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let letter = next else { throw .notAValue }
            position += 1
            if letter == UInt8(ascii: "u") || letter == UInt8(ascii: "U") {
                guard let scalar = readScalar(digits: letter == UInt8(ascii: "u") ? 4 : 8) else { throw .notAValue }
                bytes.append(contentsOf: String(scalar).utf8)
            } else {
                bytes.append(Self.control(letter) ?? letter)
            }
        }
        throw .notAValue
    }

    private mutating func readScalar(digits: Int) -> Unicode.Scalar? {
        guard text.count - position >= digits else { return nil }
        let hexadecimal = text[position..<(position + digits)]
        guard hexadecimal.allSatisfy(Self.isHexadecimal),
            let number = UInt32(String(decoding: hexadecimal, as: UTF8.self), radix: 16)
        else { return nil }
        position += digits
        return Unicode.Scalar(number)
    }

    /// Reads the bytes of `b'…'`, whose escapes are those of C.
    private mutating func readByteString() throws(Problem) -> Data {
        var data = Data()
        let mark = text[position]
        position += 1
        while position < text.count {
            let byte = text[position]
            position += 1
            if byte == mark { return data }
            guard byte == UInt8(ascii: "\\") else {
                data.append(byte)
                continue
            }
            let octal = text[position...].prefix(3).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
            if !octal.isEmpty {
                let number = octal.reduce(0) { $0 * 8 + Int($1 - UInt8(ascii: "0")) }
                data.append(UInt8(truncatingIfNeeded: number))
                position += octal.count
            } else if let letter = next {
                data.append(Self.control(letter) ?? letter)
                position += 1
            }
        }
        throw .notAValue
    }

    private static func control(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "a"): 0x07
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "v"): 0x0B
        default: nil
        }
    }

    // MARK: Characters

    private var next: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x09 { position += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Problem) {
        if !skip(character) { throw .notAValue }
    }

    private mutating func readWord(_ isPart: (UInt8) -> Bool) -> String {
        let start = position
        while let next, isPart(next) { position += 1 }
        return String(decoding: text[start..<position], as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    private static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6 }
}
