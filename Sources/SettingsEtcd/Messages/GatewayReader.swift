import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a message of etcd's gateway, which is the JSON of protocol buffers: 64-bit integers are strings, bytes are base64, and
/// members with the value 0, false or nothing are absent. Unknown members are skipped.
///
/// Takes linear time, and no more memory than the result.
struct GatewayReader {
    private var scanner: JSONScanner

    /// Reads one message.
    ///
    /// - Throws: ``GatewayFailure/notEtcd(status:)`` if the bytes are not exactly one message.
    static func read<Result>(
        _ bytes: some Collection<UInt8>, _ body: (inout GatewayReader) throws(GatewayFailure) -> Result
    ) throws(GatewayFailure) -> Result {
        func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Swift.Result<Result, GatewayFailure> {
            var reader = GatewayReader(scanner: JSONScanner(bytes, 0..<bytes.count))
            do throws(GatewayFailure) {
                let result = try body(&reader)
                reader.skipSpace()
                return reader.scanner.isAtEnd ? .success(result) : .failure(Self.failure)
            } catch {
                return .failure(error)
            }
        }
        if let result = bytes.withContiguousStorageIfAvailable(read) { return try result.get() }
        return try Array(bytes).withUnsafeBufferPointer(read).get()
    }

    private static let failure = GatewayFailure.notEtcd(status: 200)

    private mutating func skipSpace() {
        while scanner.skip(" ") || scanner.skip("\n") || scanner.skip("\t") || scanner.skip("\r") {}
    }

    /// Skips `null`, which stands for an absent member.
    private mutating func skipNull() -> Bool {
        skipSpace()
        return scanner.next == UInt8(ascii: "n") && scanner.skip(word: "null")
    }

    /// Reads an object. `body` reads the value of each member, or skips it.
    mutating func members(
        _ body: (inout GatewayReader, _ name: String) throws(GatewayFailure) -> Void
    ) throws(GatewayFailure) {
        if skipNull() { return }
        guard scanner.skip("{") else { throw Self.failure }
        skipSpace()
        if scanner.skip("}") { return }
        repeat {
            skipSpace()
            guard let name = scanner.readString() else { throw Self.failure }
            skipSpace()
            guard scanner.skip(":") else { throw Self.failure }
            skipSpace()
            try body(&self, name)
            skipSpace()
        } while scanner.skip(",")
        guard scanner.skip("}") else { throw Self.failure }
    }

    /// Reads an array of objects.
    mutating func list<Element: GatewayAnswer>() throws(GatewayFailure) -> [Element] {
        if skipNull() { return [] }
        guard scanner.skip("[") else { throw Self.failure }
        skipSpace()
        if scanner.skip("]") { return [] }
        var list: [Element] = []
        repeat {
            skipSpace()
            list.append(try Element(&self))
            skipSpace()
        } while scanner.skip(",")
        guard scanner.skip("]") else { throw Self.failure }
        return list
    }

    /// Whether the next value is an object.
    var isAtObject: Bool { scanner.next == UInt8(ascii: "{") }

    mutating func skip() throws(GatewayFailure) {
        guard scanner.skipValue() != nil else { throw Self.failure }
    }

    /// Reads an integer, in quotation marks or without.
    mutating func integer<Integer: FixedWidthInteger>() throws(GatewayFailure) -> Integer {
        if skipNull() { return 0 }
        let range = scanner.next == UInt8(ascii: "\"") ? scanner.skipText() : scanner.skipNumber()
        guard let range, let integer: Integer = scanner.integer(in: range) else { throw Self.failure }
        return integer
    }

    /// Reads a revision or another number that is not negative. There always is a next revision to ask for.
    mutating func count() throws(GatewayFailure) -> Int64 {
        let count: Int64 = try integer()
        guard count >= 0, count < .max else { throw Self.failure }
        return count
    }

    mutating func flag() throws(GatewayFailure) -> Bool {
        if skipNull() || scanner.skip(word: "false") { return false }
        guard scanner.skip(word: "true") else { throw Self.failure }
        return true
    }

    mutating func text() throws(GatewayFailure) -> String {
        if skipNull() { return "" }
        guard let text = scanner.readString() else { throw Self.failure }
        return text
    }

    /// Reads a text; skips any other value and returns nil.
    mutating func textOrSkip() throws(GatewayFailure) -> String? {
        if scanner.next == UInt8(ascii: "\"") { return try text() }
        try skip()
        return nil
    }

    /// Reads bytes in base64.
    mutating func data() throws(GatewayFailure) -> Data {
        guard let data = Data(base64Encoded: try text()) else { throw Self.failure }
        return data
    }
}
