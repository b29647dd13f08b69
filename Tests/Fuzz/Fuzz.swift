import Foundation

/// A parser of bytes from outside, with what must hold for all bytes.
struct FuzzTarget: Sendable {
    let name: String
    /// Parses bytes that may be anything, and ends the process with a message if something does not hold.
    let run: @Sendable ([UInt8]) throws -> Void
    /// Inputs to begin with.
    let seeds: @Sendable () throws -> [[UInt8]]

    static let all: [FuzzTarget] = [
        .xmlPropertyList, .binaryPropertyList, .json, .log, .store,
        .layerFile,
    ]
}

/// Ends the process, which the fuzzer reports as a finding, if a property does not hold.
func require(_ condition: @autoclosure () throws -> Bool, _ property: @autoclosure () -> String) rethrows {
    guard try condition() else { fatalError("does not hold: \(property())") }
}

/// Numbers at the edges of the types that hold them, and the sizes that the formats know.
let limits: [UInt64] = [
    0, 1, 8, 24, 48, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 62,
    1 << 63 - 49, 1 << 63 - 1, 1 << 63, 1 << 63 + 1, .max - 48, .max - 1, .max,
]

/// An input taken as a series of fields, for targets that build what they parse. After its end, all fields are zero.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }
    var remainder: [UInt8] { Array(rest) }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number less than `count`.
    mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

    /// A number of some bytes.
    mutating func number(_ byteCount: Int) -> UInt64 {
        (0..<byteCount).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
    }

    /// Any number; one at a limit more often than not.
    mutating func integer() -> UInt64 {
        let selector = Int(byte())
        return selector < limits.count * 4 ? limits[selector / 4] : number(1 + selector % 8)
    }

    mutating func bytes() -> [UInt8] {
        let count = Int(byte())
        return take(count < 0xF0 ? count : (count - 0xEF) * 0x200)
    }

    /// The bytes up to a length that four bytes give, so that a long file can be one of several in an input.
    mutating func file() -> [UInt8] { take(Int(number(4))) }

    private mutating func take(_ count: Int) -> [UInt8] {
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(bytes.count)
        return Array(bytes)
    }

    static func file(_ bytes: some Collection<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
    }
}

// MARK: What libFuzzer calls

/// Named by the environment variable SETTINGSKIT_FUZZ.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["SETTINGSKIT_FUZZ"]
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fatalError("SETTINGSKIT_FUZZ must be one of \(FuzzTarget.all.map(\.name).joined(separator: ", ")).")
    }
    return target
}()

/// Prints the targets if the environment variable SETTINGSKIT_FUZZ_LIST is set; writes the seeds if SETTINGSKIT_FUZZ_SEEDS names a
/// directory. Then it ends the process.
@_cdecl("LLVMFuzzerInitialize")
func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    let environment = ProcessInfo.processInfo.environment
    if environment["SETTINGSKIT_FUZZ_LIST"] != nil {
        for target in FuzzTarget.all { print(target.name) }
        exit(0)
    }
    guard let directory = environment["SETTINGSKIT_FUZZ_SEEDS"] else { return 0 }
    do {
        for (index, seed) in try target.seeds().enumerated() {
            try Data(seed).write(to: URL(fileURLWithPath: directory).appendingPathComponent("seed-\(index)"))
        }
        // Limits in both byte orders, for inputs that are files themselves.
        let words = limits.flatMap { limit in
            [limit.littleEndian, limit.bigEndian].map { number in
                withUnsafeBytes(of: number) { $0.map { String(format: "\\x%02x", $0) }.joined() }
            }
        }
        let dictionary = words.map { "\"\($0)\"\n" }.joined()
        try Data(dictionary.utf8).write(to: URL(fileURLWithPath: directory + ".dictionary"))
        exit(0)
    } catch {
        fatalError("The seeds of \(target.name) could not be written: \(error)")
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    do {
        try target.run(Array(UnsafeBufferPointer(start: data, count: size)))
    } catch {
        fatalError("\(target.name) failed: \(error)")
    }
    return 0
}
