/// A sentence of the guides with a figure that the benchmarks measure. It is true as long as the checked-in figures are in the
/// range.
struct Claim {
    let file: String
    /// Its words, with one space between them.
    let sentence: String
    let row: Int
    /// The beginning of the names of the figures.
    let name: String
    /// In the unit of the figures; of ratios, the ratio.
    let range: ClosedRange<Double>

    private static let guides = "Sources/SettingsKit/SettingsKit.docc/"

    static let all = [
        Claim(
            file: "README.md", sentence: "Other processes see it within about a millisecond.", row: 9,
            name: Arrival.name + ", median", range: 0...1_000),
        Claim(
            file: guides + "Limits.md", sentence: "about 200 bytes for each setting, its name and its value", row: 7,
            name: Memory.name, range: 150...250),
        Claim(
            file: guides + "PropertyListFile.md",
            sentence: "folding takes at most a hundredth of a processor core", row: 14,
            name: "processor: once a second", range: 0...1),
        Claim(
            file: guides + "PropertyListFile.md",
            sentence: "writes at most 20 times the bytes of the changes, however large the file is.", row: 14,
            name: "written per byte", range: 0...20),
    ]

    func problems(in results: Results) -> [String] {
        let figures = results.figures.filter { $0.row == row && $0.name.hasPrefix(name) }
        if figures.isEmpty {
            return ["\(file): no figure of row \(row) is called \"\(name)\", which \"\(sentence)\" needs."]
        }
        return figures.compactMap { figure in
            guard let value = figure.value, !range.contains(value) else { return nil }
            return "\(file) says \"\(sentence)\", and row \(row), \(figure.name), is \(Figure.ratio(value))."
        }
    }
}
