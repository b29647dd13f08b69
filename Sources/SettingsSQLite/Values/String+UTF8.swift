#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension String {
    /// Creates text from bytes; nil if they are not UTF-8.
    ///
    /// (`String(validating:as:)` takes five times as long, as of Swift 6.3.)
    init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // Bytes that are not UTF-8 were replaced, so they now differ.
        if !withUTF8({ Self.areSame($0, bytes) }) { return nil }
    }

    /// Whether both have the same scalars, which equal strings need not have.
    func hasSameBytes(as other: String) -> Bool {
        var (one, other) = (self, other)
        return one.withUTF8 { one in other.withUTF8 { Self.areSame(one, $0) } }
    }

    private static func areSame(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        guard let first = one.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, one.count) == 0
    }
}
