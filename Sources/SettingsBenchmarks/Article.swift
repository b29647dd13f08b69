/// Puts the measured figures into articles: each table with one of the headers below, and the line that names the machine.
enum Article {
    enum Table: String, CaseIterable {
        case figures = "| # | operation | yardstick | target | measured | median | 99 % |"
        case rivals = "| | with | median | 99 % | SettingsKit's share | a kill | a power failure | other processes |"
        case summary = "| | SettingsKit | UserDefaults | plist by Foundation | JSON by Foundation | SQLite through C |"

        /// The table with all of its lines.
        func text(_ results: Results) -> String {
            let columns = rawValue.split(separator: "|").count
            let rows =
                switch self {
                case .figures: Article.figures(results.comparisons)
                case .rivals: Article.rivals(results)
                case .summary: Article.summary(results)
                }
            let lines = rows.map { cells in "| " + cells.map { $0.isEmpty ? "–" : $0 }.joined(separator: " | ") + " |" }
            return ([rawValue, "|" + String(repeating: "---|", count: columns)] + lines).joined(separator: "\n")
        }
    }

    private static let machine = "Measured on "

    /// Replaces the tables of figures in an article, and the line about the machine, and nothing else.
    ///
    /// - Returns: nil if the article has no table of figures.
    static func replacingFigures(in page: String, with results: Results) -> String? {
        var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var hasTable = false
        for table in Table.allCases {
            guard let start = lines.firstIndex(of: table.rawValue) else { continue }
            let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
            lines.replaceSubrange(start..<end, with: [table.text(results)])
            hasTable = true
        }
        if let line = lines.firstIndex(where: { $0.hasPrefix(machine) }) {
            lines[line] = "\(machine)\(results.machine.summary)."
        }
        return hasTable ? lines.joined(separator: "\n") : nil
    }

    // MARK: Rows

    /// The comparisons. Figures that miss their target are bold.
    private static func figures(_ comparisons: [Comparison]) -> [[String]] {
        comparisons.map { comparison in
            [
                "\(comparison.row)", escaped(comparison.operation), escaped(comparison.yardstick ?? ""),
                comparison.target, comparison.isReached ? comparison.measured : "**\(comparison.measured)**",
                comparison.times.map { Comparison.time($0.median) } ?? "",
                comparison.times.map { Comparison.time($0.rare) } ?? "",
            ]
        }
    }

    /// What programs use today, each operation with this library first.
    private static func rivals(_ results: Results) -> [[String]] {
        RivalOperation.allCases.flatMap { operation -> [[String]] in
            let rows = results.ratios.filter { $0.operation == operation.rawValue }
            guard let own = rows.first else { return [] }
            func row(
                _ title: String, _ name: String, _ times: Results.Times, _ share: String, _ promise: Rival.Promise?
            ) -> [String] {
                [
                    title, name, Comparison.time(times.median), Comparison.time(times.rare), share, promise?.kill ?? "",
                    promise?.powerFailure ?? "", promise?.processes ?? "",
                ]
            }
            return [row(operation.title, "`\(operation.call)`", own.operationNanoseconds, "", operation.promise)]
                + rows.map { other in
                    let promise = operation.promise == nil ? nil : Rival(rawValue: other.yardstick)?.promise
                    let share = Comparison.ratio(other.ratio.median)
                    return row(
                        "", other.yardstick, other.yardstickNanoseconds,
                        other.isReached ? share : "**\(share)**", promise)
                }
        }
    }

    /// The medians of what programs use today, with the same promise where there is one.
    private static func summary(_ results: Results) -> [[String]] {
        RivalOperation.allCases.compactMap { operation in
            let rows = results.ratios.filter { $0.operation == operation.rawValue }
            guard let own = rows.first else { return nil }
            let columns: [[Rival]] = [
                operation == .get || operation == .start ? [.userDefaults] : [.writtenUserDefaults],
                [.plist, .safePlist], [.json], [.sqlite, .safeSQLite],
            ]
            let others = columns.map { rivals in
                let row = rows.first { row in rivals.contains { $0.rawValue == row.yardstick } }
                return row.map { Comparison.time($0.yardstickNanoseconds.median) } ?? ""
            }
            return [operation.title, Comparison.time(own.operationNanoseconds.median)] + others
        }
    }

    /// A name with types is code: angle brackets would be read as HTML.
    private static func escaped(_ name: String) -> String {
        guard let start = name.range(of: "Mutex<")?.lowerBound, let end = name.lastIndex(of: ">") else { return name }
        return name[..<start] + "`" + name[start...end] + "`" + name[name.index(after: end)...]
    }
}
