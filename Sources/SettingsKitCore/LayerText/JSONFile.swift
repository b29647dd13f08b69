#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a file of settings in JSON, as people write it: with line breaks, comments, a byte order mark, and a comma before a
/// closing bracket.
///
/// Linear time. No function is recursive, but composing the text of nested objects, which have at most ``CoreLimits/jsonDepth``
/// levels.
struct JSONFile {
    /// An object whose end has not been read yet.
    private struct OpenObject {
        /// The name in the object around it; nil for the outermost one.
        var name: String?
        var start: Int
        var members: [FileValue.Member] = []
    }

    private let file: FileBytes
    private var scanner: JSONScanner
    private var objects: [OpenObject] = []

    /// Reads the object in a file.
    ///
    /// - Throws: The reason, with its place, if the text is not one object in JSON.
    static func read(_ data: Data) throws(SettingsFileProblem) -> FileValue {
        try read(FileBytes(data)) { reader throws(SettingsFileProblem) in try reader.readObject() }
    }

    /// Reads a value of any type.
    ///
    /// - Throws: The reason if the text is not one value in JSON.
    static func read(entry text: String, at position: TextPosition?) throws(SettingsFileProblem) -> FileValue {
        try read(FileBytes(entry: text, at: position)) { reader throws(SettingsFileProblem) in
            reader.scanner.skipSpace()
            return reader.scanner.next == UInt8(ascii: "{") ? try reader.readObject() : try reader.readLeaf()
        }
    }

    private static func read(
        _ file: FileBytes, _ body: (inout JSONFile) throws(SettingsFileProblem) -> FileValue
    ) throws(SettingsFileProblem) -> FileValue {
        let result = file.bytes.withUnsafeBufferPointer { bytes in
            var reader = JSONFile(file, JSONScanner(bytes, file.start..<bytes.count, layout: .file))
            do throws(SettingsFileProblem) {
                let value = try body(&reader)
                reader.scanner.skipSpace()
                if reader.scanner.isAtEnd { return Result<FileValue, SettingsFileProblem>.success(value) }
                return .failure(reader.problem("There is text after the end of the value"))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private init(_ file: FileBytes, _ scanner: JSONScanner) { (self.file, self.scanner) = (file, scanner) }

    private func problem(_ reason: String, at offset: Int? = nil) -> SettingsFileProblem {
        if offset == nil, scanner.isAtEnd {
            return SettingsFileProblem("The text ends too early", at: file.position(of: scanner.position))
        }
        return SettingsFileProblem(reason, at: file.position(of: offset ?? scanner.position))
    }

    // MARK: Objects

    private mutating func readObject() throws(SettingsFileProblem) -> FileValue {
        scanner.skipSpace()
        let start = scanner.position
        guard scanner.skip("{") else { throw problem("The text is not an object in JSON") }
        objects = [OpenObject(start: start)]
        while true {
            scanner.skipSpace()
            var isAfterValue = scanner.skip("}")
            if isAfterValue {
                if let outermost = close() { return outermost }
            } else {
                isAfterValue = try readMember()
            }
            if isAfterValue { try skipComma() }
        }
    }

    /// Ends the innermost object.
    ///
    /// - Returns: The object if it is the outermost one.
    private mutating func close() -> FileValue? {
        let object = objects.removeLast()
        let value = self.object(object.members, at: object.start)
        guard let name = object.name else { return value }
        objects[objects.count - 1].members.append((name, value))
        return nil
    }

    /// Reads a member's name, and its value or the beginning of an object.
    ///
    /// - Returns: Whether it was a value.
    private mutating func readMember() throws(SettingsFileProblem) -> Bool {
        let start = scanner.position
        guard let text = scanner.skipText() else {
            if start < scanner.position {
                throw problem("The name has an invalid escape or character, or does not end", at: start)
            }
            throw problem("A name in quotation marks is missing")
        }
        guard let name = scanner.string(in: text) else {
            throw problem("The name has half a surrogate pair", at: start)
        }
        scanner.skipSpace()
        guard scanner.skip(":") else { throw problem("A colon is missing") }
        scanner.skipSpace()
        let offset = scanner.position
        guard scanner.skip("{") else {
            let value = try readLeaf()
            objects[objects.count - 1].members.append((name, value))
            return true
        }
        guard objects.count < CoreLimits.jsonDepth else { throw tooDeep(at: offset) }
        objects.append(OpenObject(name: name, start: offset))
        return false
    }

    /// Skips the comma after a value, unless the object ends.
    private mutating func skipComma() throws(SettingsFileProblem) {
        scanner.skipSpace()
        if scanner.skip(",") || scanner.next == UInt8(ascii: "}") { return }
        throw problem("A comma or a closing brace is missing")
    }

    private func tooDeep(at offset: Int) -> SettingsFileProblem {
        problem("The value is nested more than \(CoreLimits.jsonDepth) levels deep", at: offset)
    }

    // MARK: Values

    /// Reads a value that is no object. An array is one value.
    private mutating func readLeaf() throws(SettingsFileProblem) -> FileValue {
        let start = scanner.position
        guard let range = scanner.skipValue(at: objects.count) else {
            if scanner.position == start { throw problem("A value is missing") }
            let isNested = scanner.bytes[start] == UInt8(ascii: "[")
            throw problem("The value is not JSON, or is nested too deeply", at: isNested ? nil : start)
        }
        let place = FileValue.Place(offset: start, file: file)
        if scanner.bytes[start] != UInt8(ascii: "[") {
            return FileValue(.known(Data(scanner.bytes[range])), form: .json, at: place)
        }
        return FileValue(.composed { [file] in CompactJSON.array(in: file, range) }, form: .json, at: place)
    }

    private func object(_ members: [FileValue.Member], at offset: Int) -> FileValue {
        FileValue(members, form: .json, at: .init(offset: offset, file: file)) { members in
            var text = Data("{".utf8)
            for (index, (name, value)) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                text.append(contentsOf: JSONText.quoted(name).utf8)
                text.append(UInt8(ascii: ":"))
                text.append(value.data)
            }
            text.append(UInt8(ascii: "}"))
            return text
        }
    }
}
