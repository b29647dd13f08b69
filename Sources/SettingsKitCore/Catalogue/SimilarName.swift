/// Finds the intended name for a wrong one.
package enum SimilarName {
    /// - Returns: The nearest name; nil if all differ too much.
    package static func find(_ name: String, among names: [String]) -> String? {
        let wrong = letters(name)
        var best: (name: String, distance: Int)?
        for candidate in names {
            let letters = letters(candidate)
            // A third of the letters may be wrong, and at least one.
            let limit = max(1, min(wrong.count, letters.count) / 3)
            if abs(wrong.count - letters.count) > limit { continue }
            let distance = distance(wrong, letters)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Returns the letters and digits in lower case, so that `LAUNCH_COUNT` is `launchCount`.
    private static func letters(_ name: String) -> [Character] {
        let letters = name.prefix(CoreLimits.comparedCharacters).lowercased().filter { $0.isLetter || $0.isNumber }
        return Array((letters.isEmpty ? name : letters).prefix(CoreLimits.comparedCharacters))
    }

    /// Returns the minimum number of letters to insert, remove, replace, or swap with their neighbor.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                var best = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (letter == otherLetter ? 0 : 1))
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
