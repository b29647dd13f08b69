/// Decides which of a replica's part files an export writes, and which records go where.
///
/// The parts are a log-structured set. Part 0, the head, is written at every export and has what changed last. Each further
/// part may be twelve times as large. When the records of a part and all smaller ones exceed the part's limit, they move to
/// the next one, and the smaller parts become empty. So a large part is written seldom: on average an export of a small
/// change writes about half the head's limit, and no record is written more than about twelve times a part.
///
/// A record that is in several parts belongs to the largest of them. What the others have of it is superseded; readers do not
/// mind, as they join all parts.
struct PartPlan: Equatable, Sendable {
    struct Record: Sendable {
        /// How many bytes it takes in a file.
        var size: Int
        /// The largest part that has the record as it is now; nil if no part has it.
        var part: Int?
    }

    /// A file to write.
    struct File: Equatable, Sendable {
        var part: Int
        /// Which records it gets, by their positions.
        var records: [Int] = []
    }

    /// The files to write, in the order in which they are put in place: the larger before the smaller, the head last.
    let files: [File]

    /// The limit of the head, in bytes.
    static let headLimit = 8 << 10
    private static let factor = 12
    /// The largest part. It has no limit but that of a file.
    static let last = 4

    /// - Parameters:
    ///   - records: All that the replica knows.
    ///   - parts: The parts that exist, except the head, with the size of all records that each has, superseded ones
    ///     included. Nil for a damaged part, which is written in any case.
    ///   - isCompacting: Whether to write all records into one part, and to empty all others.
    init(records: [Record], parts: [Int: Int?], isCompacting: Bool = false, headLimit: Int = headLimit) {
        var sizes = [Int](repeating: 0, count: Self.last + 1)
        for record in records { sizes[isCompacting ? 0 : record.part ?? 0] += record.size }
        var level = Self.level(from: 0, sizes, headLimit)
        let wasteful = parts.compactMap { part, size in
            size.flatMap { Self.isWasteful(part, size: $0, used: sizes[part], headLimit) ? part : nil }
        }
        if !isCompacting, let part = wasteful.max(), part > level { level = Self.level(from: part, sizes, headLimit) }
        var files: [File] = []
        for part in (0...Self.last).reversed() {
            if part == level {
                files.append(
                    File(part: part, records: records.indices.filter { isCompacting || records[$0].part ?? 0 <= part }))
            } else if part == 0 || Self.mustEmpty(parts[part], isUsed: part > level && !isCompacting) {
                files.append(File(part: part))
            }
        }
        self.files = files
    }

    /// The first part from `first` on that has room for its records and those of all smaller parts.
    private static func level(from first: Int, _ sizes: [Int], _ headLimit: Int) -> Int {
        var level = first
        var size = sizes[...level].reduce(0, +)
        while level < last, size > limit(of: level, headLimit) {
            level += 1
            size += sizes[level]
        }
        return level
    }

    private static func limit(of part: Int, _ headLimit: Int) -> Int {
        (0..<part).reduce(headLimit) { limit, _ in limit * factor }
    }

    /// Whether most of a part is superseded, so that it is worth writing it again. At least what fits into the next smaller
    /// part must have been written elsewhere since, which pays for it.
    private static func isWasteful(_ part: Int, size: Int, used: Int, _ headLimit: Int) -> Bool {
        let unused = size - used
        return unused > used && unused > limit(of: part - 1, headLimit)
    }

    /// - Parameter part: What ``init(records:parts:isCompacting:headLimit:)`` was told about it.
    private static func mustEmpty(_ part: Int??, isUsed: Bool) -> Bool {
        switch part {
        case nil: false
        case .some(nil): true
        case .some(let size?): !isUsed && size > 0
        }
    }
}
