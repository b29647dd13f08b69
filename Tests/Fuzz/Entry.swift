import Foundation

// What libFuzzer calls. The target is named by the environment variable SETTINGSKIT_FUZZ.

private let target = FuzzTarget.named(ProcessInfo.processInfo.environment["SETTINGSKIT_FUZZ"] ?? "")

/// Writes the seeds, if the environment variable SETTINGSKIT_FUZZ_SEEDS names a directory, and ends the process.
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
