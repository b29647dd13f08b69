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
            // A wrong or a moved letter is one that is removed and one that is inserted.
            let distance = letters.difference(from: wrong).count
            if distance <= 2 * limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Returns the letters and digits in lower case, so that `LAUNCH_COUNT` is `launchCount`.
    private static func letters(_ name: String) -> [Character] {
        let letters = name.prefix(CoreLimits.comparedCharacters).lowercased().filter { $0.isLetter || $0.isNumber }
        return Array((letters.isEmpty ? name : letters).prefix(CoreLimits.comparedCharacters))
    }
}
