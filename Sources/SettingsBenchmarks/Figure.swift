/// A size or a time that is measured without a yardstick.
struct Figure {
    /// The row of the cost table.
    let row: Int
    let name: String
    let unit: String
    /// nil if it could not be measured.
    let value: Double?
    /// nil if there is no target.
    let limit: Double?

    var isReached: Bool { limit.map { (value ?? .infinity) <= $0 } ?? true }
}

extension Figure {
    /// Rows 7, 9 and 14, the longest wait of `set`, and the bytes that a small change writes into a shared directory.
    static func all(isQuick: Bool, isWanted: (Int, String) -> Bool) throws -> [Figure] {
        var figures: [Figure] = []
        if isWanted(4, Writing.longestName) {
            let longest = try Writing(keyCount: 1_000).longest(seconds: isQuick ? 2 : 10)
            figures.append(Figure(row: 4, name: Writing.longestName, unit: "µs", value: longest, limit: nil))
        }
        if isWanted(7, Memory.name), let bytes = try Memory.bytesPerKey() {
            figures.append(Figure(row: 7, name: Memory.name, unit: "bytes", value: bytes, limit: 250))
        }
        if isWanted(9, Arrival.name) {
            let (median, rare) = try Arrival.measure(count: isQuick ? 300 : 2_000)
            figures.append(Figure(row: 9, name: Arrival.name + ", median", unit: "µs", value: median, limit: 1_000))
            figures.append(Figure(row: 9, name: Arrival.name + ", 99 %", unit: "µs", value: rare, limit: 10_000))
        }
        for isOneKey in [true, false] where isWanted(10, ExportedBytes.name(isOneKey: isOneKey)) {
            let bytes = try ExportedBytes.average(
                keyCount: 10_000, changeCount: isQuick ? 100 : 1_000, isOneKey: isOneKey)
            figures.append(
                Figure(
                    row: 10, name: ExportedBytes.name(isOneKey: isOneKey), unit: "bytes", value: bytes, limit: 16_384))
        }
        return try figures + FoldingCost.figures(isQuick: isQuick, isWanted: isWanted)
    }
}
