import Foundation

/// A place where the time of a call begins to grow faster or slower. The chart shows its number, and the article explains it.
struct GrowthBend {
    let dimension: Growth.Dimension
    let operation: Growth.Operation
    /// The last size before the bend; 1 if the time grows from there.
    let size: Int
    /// The powers of the size with which the time grows before and after the bend: 0 is not at all, 1 is in proportion.
    let before, after: ClosedRange<Double>

    /// In the order of the article's list.
    static let all = [
        GrowthBend(dimension: .keys, operation: .open, size: 100, before: 0...0.4, after: 0.8...1.2),
        GrowthBend(dimension: .bytes, operation: .set, size: 1_000, before: 0...0.4, after: 0.8...1.2),
        GrowthBend(dimension: .bytes, operation: .open, size: 10_000, before: -0.1...0.3, after: 0.7...1.2),
        GrowthBend(dimension: .bytes, operation: .synchronize, size: 100_000, before: 0...0.4, after: 0.7...1.2),
        GrowthBend(dimension: .threads, operation: .set, size: 1, before: 0...0, after: 0.8...1.2),
        GrowthBend(dimension: .threads, operation: .synchronize, size: 1, before: 0...0, after: 0.5...1),
        GrowthBend(dimension: .processes, operation: .open, size: 2, before: -0.4...0.6, after: 0.7...1.2),
        GrowthBend(dimension: .processes, operation: .set, size: 1, before: 0...0, after: 1.4...2.2),
    ]

    /// What of it the figures do not show.
    func problem(in growth: Growth) -> String? {
        guard let line = growth.line(dimension, operation), let first = line.sizes.first, let last = line.sizes.last,
            let start = line.slope(first, size), let end = line.slope(size, last)
        else { return "No figures show the bend of \(operation.rawValue) at \(size) \(dimension)." }
        if before.contains(start) && after.contains(end) { return nil }
        return
            "\(operation.rawValue) grows with the power \(Figure.ratio(start)) of the \(dimension) up to \(size), and "
            + "\(Figure.ratio(end)) from there on; bring GrowthBend.swift and the article up to date."
    }
}

extension Growth.Line {
    func time(at size: Int) -> Double? { sizes.firstIndex(of: size).map { times[$0] } }

    /// The slope between two points on logarithmic axes; 0 of a point alone.
    func slope(_ start: Int, _ end: Int) -> Double? {
        guard let first = time(at: start), let last = time(at: end) else { return nil }
        return start == end ? 0 : log(last / first) / log(Double(end) / Double(start))
    }
}
