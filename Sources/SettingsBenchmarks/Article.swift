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
                case .figures: results.figures.filter(\.hasTarget).map(Article.row)
                case .rivals: RivalOperation.allCases.flatMap { Article.rows($0, results.compared(with: $0)) }
                case .summary: RivalOperation.allCases.compactMap { Article.medians($0, results.compared(with: $0)) }
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
        for table in Table.allCases where replace(table.rawValue, table.text(results), in: &lines) { hasTable = true }
        if let line = lines.firstIndex(where: { $0.hasPrefix(machine) }) {
            lines[line] = "\(machine)\(results.machine)."
        }
        return hasTable ? lines.joined(separator: "\n") : nil
    }

    /// Replaces the table of growth.
    ///
    /// - Returns: nil if the article has none.
    static func replacingGrowth(in page: String, with growth: Growth) -> String? {
        var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return replace(Growth.tableHead, growth.table, in: &lines) ? lines.joined(separator: "\n") : nil
    }

    /// - Returns: Whether there is a table with this head.
    private static func replace(_ head: String, _ table: String, in lines: inout [String]) -> Bool {
        guard let start = lines.firstIndex(of: head) else { return false }
        let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
        lines.replaceSubrange(start..<end, with: [table])
        return true
    }

    // MARK: Rows

    private typealias Row = (figure: Figure, comparison: Figure.Comparison)

    /// A figure. Those that miss their target are bold.
    private static func row(_ figure: Figure) -> [String] {
        let yardstick = escaped(figure.comparison?.yardstick ?? "")
        return ["\(figure.row)", escaped(figure.name), yardstick, figure.target, marked(figure)]
            + (figure.comparison?.times.cells ?? ["", ""])
    }

    /// What programs use today, beside this library, which is first.
    private static func rows(_ operation: RivalOperation, _ rows: [Row]) -> [[String]] {
        guard let own = rows.first else { return [] }
        let (title, call, promise) = operation.description
        let others = rows.map { figure, other -> [String] in
            let theirs = promise.flatMap { _ in Rival(rawValue: other.yardstick)?.promise }
            return ["", other.yardstick] + other.yardstickTimes.cells + [marked(figure)] + (theirs ?? ["", "", ""])
        }
        return [[title, "`\(call)`"] + own.comparison.times.cells + [""] + (promise ?? ["", "", ""])] + others
    }

    /// The medians of what programs use today, with the same promise where there is one.
    private static func medians(_ operation: RivalOperation, _ rows: [Row]) -> [String]? {
        guard let own = rows.first else { return nil }
        let columns: [[Rival]] = [
            operation == .get || operation == .start ? [.userDefaults] : [.writtenUserDefaults],
            [.plist, .safePlist], [.json], [.sqlite, .safeSQLite],
        ]
        let others = columns.map { rivals -> String in
            let row = rows.first { row in rivals.contains { $0.rawValue == row.comparison.yardstick } }
            return row?.comparison.yardstickTimes.cells[0] ?? ""
        }
        return [operation.description.title, own.comparison.times.cells[0]] + others
    }

    private static func marked(_ figure: Figure) -> String {
        figure.isReached ? figure.measured : "**\(figure.measured)**"
    }

    /// A name with types is code: angle brackets would be read as HTML.
    private static func escaped(_ name: String) -> String {
        guard let start = name.range(of: "Mutex<")?.lowerBound, let end = name.lastIndex(of: ">") else { return name }
        return name[..<start] + "`" + name[start...end] + "`" + name[name.index(after: end)...]
    }
}

extension Results {
    fileprivate func compared(with operation: RivalOperation) -> [(figure: Figure, comparison: Figure.Comparison)] {
        figures.filter { $0.name == operation.rawValue }.compactMap { figure in figure.comparison.map { (figure, $0) } }
    }
}
