/// Puts the measured figures into the article *Measured*.
enum Article {
    private static let header = "| # | operation | yardstick | target | measured |"

    /// The comparisons as a Markdown table. Figures that miss their target are bold.
    static func table(_ comparisons: [Comparison]) -> String {
        let rows = comparisons.map { comparison in
            let measured = comparison.isReached ? comparison.measured : "**\(comparison.measured)**"
            let cells = [
                "\(comparison.row)", escaped(comparison.operation), escaped(comparison.yardstick ?? ""),
                comparison.target, measured,
            ]
            return "| " + cells.map { $0.isEmpty ? "–" : $0 }.joined(separator: " | ") + " |"
        }
        return ([header, "|---|---|---|---|---|"] + rows).joined(separator: "\n")
    }

    /// Replaces the table of figures in an article, and nothing else.
    ///
    /// - Returns: nil if the article has no table of figures.
    static func replacingTable(in page: String, with comparisons: [Comparison]) -> String? {
        var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let start = lines.firstIndex(of: header) else { return nil }
        let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
        lines.replaceSubrange(start..<end, with: [table(comparisons)])
        return lines.joined(separator: "\n")
    }

    /// A name with types is code: angle brackets would be read as HTML.
    private static func escaped(_ name: String) -> String {
        guard let start = name.range(of: "Mutex<")?.lowerBound, let end = name.lastIndex(of: ">") else { return name }
        return name[..<start] + "`" + name[start...end] + "`" + name[name.index(after: end)...]
    }
}
