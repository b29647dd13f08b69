/// Decides which of a replica's parts an export writes, and which records each of them gets.
///
/// The parts are a log-structured set. Every export writes part 0, the head, with the latest changes. The limit of each
/// further part is twelve times as large. When the records of a part and all smaller ones exceed the part's limit, they
/// move to the next part, and the smaller parts become empty. So a large part is written seldom: an export of a small
/// change writes about half the head's limit on average, and each record is written at most about twelve times per
/// part.
///
/// A record whose current version is in several parts belongs to the largest of them. Older versions in other parts are
/// superseded. Readers join all parts, so superseded records do no harm.
struct PartPlan: Equatable, Sendable {
    struct Record: Sendable {
        /// The record's size in a file, in bytes.
        var size: Int
        /// The largest part that has the record's current version. Nil if there is none.
        var part: Int?
    }

    /// A file to write.
    struct File: Equatable, Sendable {
        var part: Int
        /// The positions of the records that go into the file.
        var records: [Int] = []
    }

    /// The files to write, in the order in which they are put in place: larger parts before smaller ones, the head
    /// last.
    let files: [File]

    /// - Parameters:
    ///   - records: All records that the replica knows.
    ///   - parts: The existing parts except the head, with the size of all their records, including superseded ones. Nil
    ///     for a damaged part, which is written in any case.
    ///   - isCompacting: Whether to write all records into one part and to empty all others.
    ///   - headLimit: The limit of the head, in bytes.
    init(records: [Record], parts: [Int: Int?], isCompacting: Bool = false, headLimit: Int = DirectoryLimits.head) {
        var sizes = [Int](repeating: 0, count: DirectoryLimits.lastPart + 1)
        for record in records { sizes[isCompacting ? 0 : record.part ?? 0] += record.size }
        var level = Self.level(from: 0, sizes, headLimit)
        let wasteful = parts.compactMap { part, size in
            size.flatMap { Self.isWasteful(part, size: $0, used: sizes[part], headLimit) ? part : nil }
        }
        if !isCompacting, let part = wasteful.max(), part > level { level = Self.level(from: part, sizes, headLimit) }
        var files: [File] = []
        for part in (0...DirectoryLimits.lastPart).reversed() {
            if part == level {
                files.append(
                    File(part: part, records: records.indices.filter { isCompacting || records[$0].part ?? 0 <= part }))
            } else if part == 0 || Self.mustEmpty(parts[part], isUsed: part > level && !isCompacting) {
                files.append(File(part: part))
            }
        }
        self.files = files
    }

    /// Returns the first part, from `first` on, that has room for its records and those of all smaller parts.
    private static func level(from first: Int, _ sizes: [Int], _ headLimit: Int) -> Int {
        var level = first
        var size = sizes[...level].reduce(0, +)
        while level < DirectoryLimits.lastPart, size > limit(of: level, headLimit) {
            level += 1
            size += sizes[level]
        }
        return level
    }

    private static func limit(of part: Int, _ headLimit: Int) -> Int {
        (0..<part).reduce(headLimit) { limit, _ in limit * DirectoryLimits.partFactor }
    }

    /// Whether more than half of a part is superseded and it should be written again. The superseded records must also
    /// exceed the limit of the next smaller part, so that parts are not written again too often.
    private static func isWasteful(_ part: Int, size: Int, used: Int, _ headLimit: Int) -> Bool {
        let unused = size - used
        return unused > used && unused > limit(of: part - 1, headLimit)
    }

    /// Whether a part has to be written without records.
    ///
    /// - Parameters:
    ///   - part: The part's element in the dictionary `parts` of ``init(records:parts:isCompacting:headLimit:)``.
    ///   - isUsed: Whether the part keeps its records.
    private static func mustEmpty(_ part: Int??, isUsed: Bool) -> Bool {
        switch part {
        case nil: false
        case .some(nil): true
        case .some(let size?): !isUsed && size > 0
        }
    }
}
