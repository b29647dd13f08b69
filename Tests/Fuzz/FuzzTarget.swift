import Foundation

/// A parser of bytes from outside, with what must hold for all bytes.
struct FuzzTarget: Sendable {
    let name: String
    /// Parses bytes that may be anything, and ends the process with a message if something does not hold.
    let run: @Sendable ([UInt8]) throws -> Void
    /// Inputs to begin with.
    let seeds: @Sendable () throws -> [[UInt8]]

    static let all: [FuzzTarget] = [
        .xmlPropertyList, .binaryPropertyList, .recovery, .json, .replicaFile, .sharedEntry, .journal, .journalMark,
        .store, .layerFile,
    ]

    static func named(_ name: String) -> FuzzTarget {
        guard let target = all.first(where: { $0.name == name }) else {
            fatalError("SETTINGSKIT_FUZZ must be one of \(all.map(\.name).joined(separator: ", ")).")
        }
        return target
    }
}

/// Ends the process, which the fuzzer reports as a finding, if a property does not hold.
func require(_ condition: @autoclosure () throws -> Bool, _ property: @autoclosure () -> String) rethrows {
    guard try condition() else { fatalError("does not hold: \(property())") }
}

/// Numbers at the edges of the types that hold them, and the sizes that the formats know.
let limits: [UInt64] = [
    0, 1, 8, 24, 48, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 62,
    1 << 63 - 49,
    1 << 63 - 1, 1 << 63, 1 << 63 + 1, .max - 48, .max - 1, .max,
]
