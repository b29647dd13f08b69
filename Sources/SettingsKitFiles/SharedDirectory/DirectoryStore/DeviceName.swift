#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The device's name for people.
enum DeviceName {
    /// The machine's host name without a domain.
    static var own: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.split(separator: ".").first.map(String.init) ?? "unknown"
    }
}
