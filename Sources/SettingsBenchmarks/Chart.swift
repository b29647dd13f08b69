import Foundation

/// Draws figures beside their targets, as an SVG picture.
///
/// A mark's distance from the line of the targets is the figure's ratio to its target, on a logarithmic scale: to the left
/// is better. Marks differ in shape and color.
struct Chart {
    enum Appearance: String, CaseIterable {
        case light, dark
    }

    private let comparisons: [Comparison]
    private let colors: Colors

    /// Returns a picture that needs nothing but the fonts of the system.
    static func svg(_ comparisons: [Comparison], _ appearance: Appearance) -> String {
        Chart(comparisons: comparisons, colors: Colors(appearance)).draw()
    }

    /// The file of a picture. The documentation compiler finds the dark one by its name.
    static func path(_ path: String, _ appearance: Appearance) -> String {
        guard appearance == .dark else { return path }
        let end = path.lastIndex(of: ".") ?? path.endIndex
        return path[..<end] + "~dark" + path[end...]
    }

    // MARK: Places

    static let width = 820
    static let labelEnd = 340
    private static let plot = (start: Double(labelEnd) + 16, end: 610.0)
    private static let measuredEnd = 690
    private static let targetEnd = 800
    private static let lineHeight = 23
    private static let top = 62
    /// The plot reaches from this share of the target to that one. Figures beyond are drawn at its edge.
    private static let shares = (least: 1.0 / 64, most: 8.0)

    /// The horizontal place of a share of the target.
    static func place(of share: Double) -> Double {
        let (least, most) = (log2(shares.least), log2(shares.most))
        let place = (log2(min(max(share, shares.least), shares.most)) - least) / (most - least)
        return plot.start + place * (plot.end - plot.start)
    }

    // MARK: Drawing

    private func draw() -> String {
        var lines: [String] = []
        var y = Self.top
        var group: (row: Int, yardstick: String?)?
        for comparison in comparisons {
            if group?.row != comparison.row || group?.yardstick != comparison.yardstick {
                group = (comparison.row, comparison.yardstick)
                y += 12
                let title = comparison.yardstick.map { "compared with: \($0)" } ?? "sizes and times"
                lines.append(text("\(comparison.row)", x: 20, y, size: 12, weight: 600, color: colors.faint))
                lines.append(text(title, x: 44, y, size: 12, color: colors.faint))
                y += Self.lineHeight
            }
            lines += draw(comparison, y)
            y += Self.lineHeight
        }
        let height = y + 10
        let shares: [Double] = [1.0 / 16, 1.0 / 4, 4]
        let ticks = shares.map { line(at: Self.place(of: $0), height, colors.grid, dashes: "2 4") }
        let size = #"width="\#(Self.width)" height="\#(height)""#
        let start = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(Self.width) \#(height)" \#(size) role="img" "#
                + #"font-family="-apple-system, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, sans-serif">"#,
            "  <title>Measured figures beside their targets</title>",
            #"  <rect \#(size) fill="\#(colors.background)"/>"#,
        ]
        let target = line(at: Self.place(of: 1), height, colors.target)
        let all: [String] = start + heading() + ticks + [target] + lines + ["</svg>", ""]
        return all.joined(separator: "\n")
    }

    private func heading() -> [String] {
        let marks: [(share: Double, name: String)] = [
            (1.0 / 16, "1/16"), (1.0 / 4, "1/4"), (1, "target"), (4, "× 4"),
        ]
        var lines = marks.map { mark in
            text(
                mark.name, x: number(Self.place(of: mark.share)), 44, size: 12, weight: mark.share == 1 ? 600 : 400,
                color: mark.share == 1 ? colors.text : colors.faint, anchor: "middle")
        }
        lines.append(text("← better", x: number(Self.plot.start), 24, size: 12, color: colors.faint, anchor: "start"))
        lines.append(
            text("measured", x: "\(Self.measuredEnd)", 44, size: 12, weight: 600, color: colors.text, anchor: "end"))
        lines.append(text("target", x: "\(Self.targetEnd)", 44, size: 12, color: colors.faint, anchor: "end"))
        return lines
    }

    private func draw(_ comparison: Comparison, _ y: Int) -> [String] {
        let color = comparison.isReached ? colors.reached : colors.missed
        var lines = [
            text(comparison.operation, x: 44, y, size: 13, color: colors.text),
            text(
                comparison.measured, x: "\(Self.measuredEnd)", y, size: 13, weight: comparison.isReached ? 400 : 600,
                color: comparison.isReached ? colors.text : color, anchor: "end"),
            text(comparison.target, x: "\(Self.targetEnd)", y, size: 13, color: colors.faint, anchor: "end"),
        ]
        guard let share = comparison.shareOfTarget else { return lines }
        let (mark, target, middle) = (Self.place(of: share), Self.place(of: 1), y - 4)
        lines.append(
            #"  <line x1="\#(number(target))" y1="\#(middle)" x2="\#(number(mark))" y2="\#(middle)" stroke="\#(color)" stroke-width="3"/>"#
        )
        if comparison.isReached {
            lines.append(#"  <circle cx="\#(number(mark))" cy="\#(middle)" r="5" fill="\#(color)"/>"#)
        } else {
            let corners: [(x: Double, y: Int)] = [
                (mark - 6, middle), (mark, middle - 6), (mark + 6, middle), (mark, middle + 6),
            ]
            let points = corners.map { "\(number($0.x)),\($0.y)" }.joined(separator: " ")
            lines.append(#"  <polygon points="\#(points)" fill="\#(color)"/>"#)
        }
        return lines
    }

    private func line(at place: Double, _ height: Int, _ color: String, dashes: String? = nil) -> String {
        let x = number(place)
        let style = dashes.map { #" stroke-dasharray="\#($0)""# } ?? ""
        return
            #"  <line x1="\#(x)" y1="52" x2="\#(x)" y2="\#(height - 10)" stroke="\#(color)" stroke-width="1"\#(style)/>"#
    }

    private func text(_ text: String, x: Int, _ y: Int, size: Int, weight: Int = 400, color: String) -> String {
        self.text(text, x: "\(x)", y, size: size, weight: weight, color: color, anchor: "start")
    }

    private func text(
        _ text: String, x: String, _ y: Int, size: Int, weight: Int = 400, color: String, anchor: String
    ) -> String {
        let weight = weight == 400 ? "" : #" font-weight="\#(weight)""#
        return
            #"  <text x="\#(x)" y="\#(y)" font-size="\#(size)"\#(weight) text-anchor="\#(anchor)" fill="\#(color)">\#(escaped(text))</text>"#
    }

    /// With one place after the decimal point.
    private func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
    }
}

/// The colors of the project's other pictures.
private struct Colors {
    let background, text, faint, grid, target, reached, missed: String

    init(_ appearance: Chart.Appearance) {
        switch appearance {
        case .light:
            (background, text, faint, grid) = ("#ffffff", "#1d1d1f", "#6e6e73", "#d2d2d7")
            (target, reached, missed) = ("#1d1d1f", "#1d8f3d", "#c25700")
        case .dark:
            (background, text, faint, grid) = ("#1d1d1f", "#f5f5f7", "#a1a1a6", "#48484a")
            (target, reached, missed) = ("#f5f5f7", "#4cd071", "#ff9f45")
        }
    }
}
