import Foundation
import SettingsKit

extension Figure {
    /// A size or a time to measure: its name, its unit, and its target.
    typealias Size = (name: String, unit: String, atMost: Double?)

    /// Rows 7, 9 and 14, the longest wait of `set`, and the bytes that a small change writes into a shared directory.
    static func sizes(_ options: Options) throws -> [Figure] {
        func measure(_ row: Int, _ sizes: [Size], values: () throws -> [Double?]) throws -> [Figure] {
            guard sizes.contains(where: { options.isWanted(row, $0.name) }) else { return [] }
            return zip(sizes, try values()).map { Figure(row, $0.name, $0.unit, $1, atMost: $0.atMost) }
        }
        var figures = try measure(4, [("longest set under a steady load of writes", "µs", nil)]) {
            let (writer, end) = (try Writer(keyCount: 1_000), ContinuousClock.now + .seconds(options.isQuick ? 2 : 10))
            var longest = 0.0
            while .now < end { longest = max(longest, writer.set(1)) }
            return [longest / 1_000]
        }
        figures += try measure(7, [(Memory.name, "bytes", 200)]) { [try Memory.bytesPerKey()] }
        figures += try measure(
            9, [(Arrival.name + ", median", "µs", 500), (Arrival.name + ", 99 %", "µs", 5_000)]
        ) {
            let delays = try Arrival.measure(count: options.isQuick ? 300 : 2_000)
            return delays.isEmpty ? [nil, nil] : [delays.median, delays.rare]
        }
        for (keys, step) in [("one key", 0), ("distinct keys", 7)] {
            figures += try measure(10, [("export of a set: \(keys) of 10,000", "bytes", 16_384)]) {
                [try exportedBytes(keyCount: 10_000, changeCount: options.isQuick ? 100 : 1_000, step: step)]
            }
        }
        for (keyCount, keys) in [(100, "100"), (100_000, "100,000")] {
            for pattern in FoldingCost.Pattern.allCases {
                let name = "\(pattern.rawValue), \(keys) keys"
                let processor: Size = ("processor: \(name)", FoldingCost.processorUnit, 1)
                figures += try measure(
                    14, [("written per byte: \(name)", "bytes", 20)] + (pattern == .rush ? [] : [processor])
                ) {
                    try FoldingCost.measure(pattern, keyCount: keyCount, seconds: options.isQuick ? 10 : 40)
                }
            }
        }
        return figures
    }

    /// The bytes that each change of one setting beside many writes into a shared directory, for a syncer to carry, on average.
    private static func exportedBytes(keyCount: Int, changeCount: Int, step: Int) throws -> Double {
        let shared = try TemporaryFolder()
        let store = try shared.store("state")
        try store.fill(keyCount, scope: .shared)
        try store.export()
        let bytes = try (0..<changeCount).map { change in
            let name = "setting number \(change * step % keyCount)"
            return try shared.bytesReplaced {
                try store.set(.init(name, scope: .shared), to: Data("\(change)".utf8))
                try store.export()
            }
        }
        return Double(bytes.reduce(0, +)) / Double(changeCount)
    }
}
