import Foundation

/// What a run has measured, as `--json` prints it and `--check` reads it.
struct Results: Codable {
    /// Where it was measured. Ratios hold on other machines, too; times do not.
    var machine: String
    /// In the order of the cost table.
    var figures: [Figure]

    init(_ figures: [Figure]) {
        let (process, cpuinfo) = (
            ProcessInfo.processInfo, try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        )
        let model = cpuinfo?.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        machine = [
            model?.trimmingCharacters(in: .whitespaces) ?? "unknown processor", "\(process.activeProcessorCount) cores",
            process.operatingSystemVersionString, Self.isReleaseBuild ? "release build" : "debug build",
        ].joined(separator: ", ")
        self.figures = figures.enumerated().sorted { ($0.element.row, $0.offset) < ($1.element.row, $1.offset) }
            .map(\.element)
    }

    static var isReleaseBuild: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    static func read(from path: String) throws -> Results {
        try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// One figure a line, so that a change of one is a change of one line.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func line(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        let lines = try figures.map(line).joined(separator: ",\n")
        return "{\n\"machine\": \(try line(machine)),\n\"figures\": [\n\(lines)\n]\n}"
    }

    /// A table for a terminal.
    var table: String {
        var rows = [["#", "operation", "time", "yardstick", "time", "measured", "target", ""]]
        for figure in figures {
            rows.append([
                "\(figure.row)", figure.name, Figure.text(ofTime: figure.time), figure.yardstick ?? "",
                Figure.text(ofTime: figure.yardstickTime), figure.measured, figure.target,
                figure.isReached ? "" : "MISSED",
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        return ([machine, ""] + lines).joined(separator: "\n")
    }
}

// MARK: Comparing with checked-in figures

extension Results {
    /// A figure that differs from the checked-in one, and how.
    struct Difference: CustomStringConvertible {
        let row: Int
        let description: String

        fileprivate init(_ figure: Figure, _ reason: String) {
            (row, description) = (figure.row, "row \(figure.row), \(figure.name): \(reason)")
        }
    }

    /// The figures that are more than twice those that are checked in, and those of the measured rows that only one of both
    /// has.
    func differences(from baseline: Results, rows: Set<Int>) -> [Difference] {
        let missing = baseline.figures.filter { before in
            rows.contains(before.row) && !figures.contains { $0.name == before.name }
        }
        return missing.map { Difference($0, "it is checked in, and not measured.") }
            + figures.compactMap { figure in
                guard let before = baseline.figures.first(where: { $0.name == figure.name }) else {
                    return Difference(figure, "it is not among the checked-in figures.")
                }
                guard let value = figure.value, let then = before.value, !before.allowed.contains(value) else {
                    return nil
                }
                return Difference(figure, "\(value), and the checked-in figure is \(then).")
            }
    }

    /// Takes the figures of another run in place of those with their names.
    mutating func replace(by other: Results) {
        figures = figures.map { figure in other.figures.first { $0.name == figure.name } ?? figure }
    }
}

extension Figure {
    /// What a later run may measure, on this machine or on another one: at most twice the value, or at least half of a
    /// throughput. Times are not compared.
    fileprivate var allowed: ClosedRange<Double> {
        guard let value, unit != Figure.milliseconds else { return 0 ... .infinity }
        return atLeast == nil ? 0...2 * value : value / 2 ... .infinity
    }

    static let milliseconds = "ms"
}
