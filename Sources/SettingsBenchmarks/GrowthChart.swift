import Foundation

/// A chart of growth: a panel for each dimension, with logarithmic axes.
struct GrowthChart {
    let growth: Growth
    let isDark: Bool

    private static let (width, height, columnWidth, rowHeight) = (900.0, 716.0, 445.0, 325.0)
    /// Of a panel's axes.
    private static let (left, top, panelWidth, panelHeight) = (65.0, 85.0, 365.0, 250.0)
    private static let titles: [Growth.Dimension: String] = [
        .keys: "Stored keys", .bytes: "Bytes of the value", .threads: "Threads, each calling",
        .processes: "Processes, each calling",
    ]

    private var ink: String { isDark ? "#f5f5f7" : "#1d1d1f" }
    private var faint: String { isDark ? "#a1a1a6" : "#6e6e73" }

    private func color(_ operation: Growth.Operation) -> String {
        switch operation {
        case .get: isDark ? "#4fa3f7" : "#0066cc"
        case .set: isDark ? "#4cd071" : "#248a3d"
        case .synchronize: isDark ? "#ff9f45" : "#b25000"
        case .open: isDark ? "#c891e6" : "#8944ab"
        }
    }

    var svg: String {
        let (width, height) = (Int(Self.width), Int(Self.height))
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" "
                + "height=\"\(height)\" role=\"img\" font-family=\"-apple-system, 'Segoe UI', 'Helvetica Neue', Helvetica, "
                + "Arial, sans-serif\">",
            "  <title>The time of a call as keys, values, threads and processes grow</title>",
            "  <rect width=\"\(width)\" height=\"\(height)\" fill=\"\(isDark ? "#1d1d1f" : "#ffffff")\"/>",
        ]
        for (index, operation) in Growth.Operation.allCases.enumerated() {
            let x = Self.left + 200 * Double(index)
            lines += [segment(x, 26, x + 24, 26, color(operation), width: 2)]
            lines += [text(x + 32, 30, operation.rawValue, ink, size: 13, anchor: "start")]
        }
        for (index, dimension) in Growth.Dimension.allCases.enumerated() {
            let x = Self.left + Self.columnWidth * Double(index % 2)
            lines += panel(dimension, x: x, y: Self.top + Self.rowHeight * Double(index / 2))
        }
        lines += [text(Self.left, Self.height - 12, growth.machine, faint, anchor: "start")]
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    /// The powers of ten of nanoseconds between which all times are.
    private var decades: ClosedRange<Int> {
        let times = growth.lines.flatMap(\.times).map { log10(max($0, 1)) }
        return Int(times.min()?.rounded(.down) ?? 0)...Int(times.max()?.rounded(.up) ?? 1)
    }

    private func panel(_ dimension: Growth.Dimension, x: Double, y: Double) -> [String] {
        let lines = growth.lines.filter { $0.dimension == dimension }
        let (decades, sizes) = (decades, lines.first?.sizes ?? [])
        let (right, bottom) = (x + Self.panelWidth, y + Self.panelHeight)
        func place(_ size: Int, _ time: Double) -> (x: Double, y: Double) {
            let share = log10(Double(size)) / log10(Double(sizes.last ?? 10))
            let level = (log10(max(time, 1)) - Double(decades.lowerBound)) / Double(decades.count - 1)
            return (x + share * Self.panelWidth, bottom - level * Self.panelHeight)
        }
        var drawn = [text(x, y - 14, Self.titles[dimension] ?? "", ink, size: 14, anchor: "start", isBold: true)]
        for decade in decades {
            let (time, level) = (pow(10, Double(decade)), place(1, pow(10, Double(decade))).y)
            drawn += [segment(x, level, right, level, "#86868b", dashes: "1 5")]
            drawn += [text(x - 12, level + 4, Figure.time(time), faint, anchor: "end")]
        }
        for size in sizes {
            let column = place(size, 1).x
            drawn += [segment(column, bottom, column, bottom + 4, "#86868b")]
            drawn += [text(column, bottom + 18, Self.label(size), faint, anchor: "middle")]
        }
        for line in lines {
            let places = zip(line.sizes, line.times).map(place)
            let points = places.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
            let color = color(line.operation)
            drawn += ["  <polyline points=\"\(points)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\"/>"]
            drawn += places.map { dot($0.x, $0.y, 3, color) }
        }
        for (index, bend) in GrowthBend.all.enumerated() where bend.dimension == dimension {
            guard let time = growth.line(dimension, bend.operation)?.time(at: bend.size) else { continue }
            let (place, paper) = (place(bend.size, time), isDark ? "#1d1d1f" : "#ffffff")
            drawn += [dot(place.x, place.y, 8, color(bend.operation))]
            drawn += [text(place.x, place.y + 4, "\(index + 1)", paper, anchor: "middle", isBold: true)]
        }
        return drawn
    }

    /// A size with the letter of its thousands.
    private static func label(_ size: Int) -> String {
        switch size {
        case ..<1_000: "\(size)"
        case ..<1_000_000: "\(size / 1_000) k"
        default: "\(size / 1_000_000) M"
        }
    }

    // MARK: Elements

    /// With one place after the decimal point.
    private func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private func text(
        _ x: Double, _ y: Double, _ text: String, _ color: String, size: Int = 11, anchor: String, isBold: Bool = false
    ) -> String {
        "  <text x=\"\(number(x))\" y=\"\(number(y))\" font-size=\"\(size)\"\(isBold ? " font-weight=\"600\"" : "") "
            + "text-anchor=\"\(anchor)\" fill=\"\(color)\">\(text)</text>"
    }

    private func dot(_ x: Double, _ y: Double, _ radius: Int, _ color: String) -> String {
        "  <circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"\(radius)\" fill=\"\(color)\"/>"
    }

    private func segment(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ color: String, width: Int = 1, dashes: String? = nil
    ) -> String {
        "  <line x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\" stroke=\"\(color)\" "
            + "stroke-width=\"\(width)\"\(dashes.map { " stroke-dasharray=\"\($0)\"" } ?? "")/>"
    }
}
