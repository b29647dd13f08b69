import Foundation

/// The files of a clone that show figures, all made from one that is checked in.
struct Publication {
    /// The clone's folder.
    let folder: URL

    init(folder: String) { self.folder = URL(fileURLWithPath: folder) }

    static let baseline = "Sources/SettingsBenchmarks/Baseline.json"
    static let growth = "Sources/SettingsBenchmarks/Growth.json"
    /// In the light, and in the dark.
    static let charts = ["growth", "growth~dark"].map { "Sources/SettingsKit/SettingsKit.docc/Resources/\($0).svg" }
    static let measured = "Sources/SettingsKit/SettingsKit.docc/Measured.md"
    static let articles = [measured, "README.md"]

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// Each file with its text, as the results say.
    private func files(_ results: Results) throws -> [(name: String, text: String)] {
        try Self.articles.map { name in
            guard let page = Article.replacingFigures(in: try text(name), with: results) else {
                throw NoTable(description: "\(name) has no table of figures to replace.")
            }
            return (name, page)
        }
    }

    private func files(_ growth: Growth) throws -> [(name: String, text: String)] {
        guard let page = Article.replacingGrowth(in: try text(Self.measured), with: growth) else {
            throw NoTable(description: "\(Self.measured) has no table of growth to replace.")
        }
        let charts = zip(Self.charts, [false, true]).map { name, isDark in
            (name: name, text: GrowthChart(growth: growth, isDark: isDark).svg)
        }
        return [(Self.measured, page)] + charts
    }

    /// Writes the figures of growth, their table and their chart.
    func write(_ growth: Growth) throws {
        for file in try files(growth) + [(Self.growth, growth.json())] {
            try file.text.write(toFile: path(file.name), atomically: true, encoding: .utf8)
        }
    }

    /// Writes the results, and the tables of the articles.
    func write(_ results: Results) throws {
        let files = try files(results)
        try results.json().write(toFile: path(Self.baseline), atomically: true, encoding: .utf8)
        for file in files { try file.text.write(toFile: path(file.name), atomically: true, encoding: .utf8) }
    }

    private struct NoTable: Error, CustomStringConvertible {
        let description: String
    }

    /// What does not agree with the checked-in results: a table that was not made from them, a sentence whose
    /// figure they do not have, and a missed target that the article does not explain.
    func problems() throws -> [String] {
        let results = try Results.read(from: path(Self.baseline))
        var problems: [String] = []
        for file in try files(results) where try text(file.name) != file.text {
            problems.append(
                "\(file.name) does not show the figures of \(Self.baseline). Run settings-benchmarks --publish again, or "
                    + "--from \(Self.baseline) --publish if only the files differ.")
        }
        for claim in Claim.all {
            let words = try text(claim.file).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !words.contains(claim.sentence) {
                problems.append("\(claim.file) does not say \"\(claim.sentence)\"; bring Claim.swift up to date.")
            }
            problems += claim.problems(in: results)
        }
        let growth = try Growth.read(from: path(Self.growth))
        for file in try files(growth) where (try? text(file.name)) != file.text {
            problems.append(
                "\(file.name) does not show the figures of \(Self.growth). Run settings-benchmarks --growth --publish again, or "
                    + "with --from \(Self.growth) if only the files differ.")
        }
        problems += GrowthBend.all.compactMap { $0.problem(in: growth) }
        let bends = try text(Self.measured).split(separator: "\n").filter { $0.contains(#/^\d+\. \*\*/#) }.count
        if bends != GrowthBend.all.count {
            problems.append("\(Self.measured) explains \(bends) bends, and the chart has \(GrowthBend.all.count).")
        }
        return try problems + unexplained(results.figures)
    }

    /// Rows that miss a target, and are not in the article's list of those, and the other way round.
    private func unexplained(_ figures: [Figure]) throws -> [String] {
        let missed = Set(figures.filter { $0.hasTarget && !$0.isReached }.map(\.row))
        let explained = Set(
            try text(Self.measured).split(separator: "\n").compactMap { line in
                line.wholeMatch(of: #/- \*\*Row (\d+)\.\*\* .*/#).flatMap { Int($0.1) }
            })
        return missed.subtracting(explained).sorted().map {
            "\(Self.measured) does not explain the missed target of row \($0)."
        }
            + explained.subtracting(missed).sorted().map {
                "\(Self.measured) explains row \($0), which misses no target."
            }
    }
}
