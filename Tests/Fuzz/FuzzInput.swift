import Foundation

@testable import SettingsKitFiles

/// An input taken as a series of fields, for targets that build what they parse. After its end, all fields are zero.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }
    var remainder: [UInt8] { Array(rest) }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number less than `count`.
    mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

    /// A place among `count` things, which may be many.
    mutating func place(_ count: Int) -> Int {
        let number = Int(byte()) << 16 | Int(byte()) << 8 | Int(byte())
        return count > 0 ? number % count : 0
    }

    /// Any number; one at a limit more often than not.
    mutating func integer() -> UInt64 {
        let selector = Int(byte())
        if selector < limits.count * 4 { return limits[selector / 4] }
        return (0..<(1 + selector % 8)).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
    }

    mutating func signed() -> Int64 { Int64(bitPattern: integer()) }

    mutating func bytes() -> [UInt8] {
        let count = Int(byte())
        let bytes = rest.prefix(count < 0xF0 ? count : (count - 0xEF) * 0x200)
        rest = rest.dropFirst(bytes.count)
        return Array(bytes)
    }

    /// The bytes up to a length that four bytes give, so that a long file can be one of several in an input.
    mutating func file() -> [UInt8] {
        let count = (0..<4).reduce(0) { number, _ in number << 8 | Int(byte()) }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(bytes.count)
        return Array(bytes)
    }

    static func file(_ bytes: some Collection<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
    }

    mutating func string() -> String { String(decoding: bytes(), as: UTF8.self) }

    // MARK: Property lists

    mutating func members(depth: Int = 4) -> [PropertyListMember] {
        (0..<choice(12)).map { _ in PropertyListMember(key: string(), value: value(depth: depth - 1)) }
            .keepingLastOfEachKey()
    }

    mutating func value(depth: Int) -> PropertyListValue {
        switch choice(depth > 0 ? 12 : 9) {
        case 0: .boolean(byte() & 1 == 0)
        case 1: .integer(signed())
        case 2: .wholeNumber(magnitude: integer(), isNegative: false) ?? .boolean(false)
        case 3: .real(Double(bitPattern: integer()))
        case 4: .real(Double(signed()) / 1000)
        case 5: .date(Double(signed() >> 20))
        case 6: .data(Data(bytes()))
        case 7, 8: .string(string())
        case 9: .array((0..<choice(6)).map { _ in value(depth: depth - 1) })
        default: .dictionary(members(depth: depth))
        }
    }
}
