/// Chooses which of some unsynchronized changes survive a power failure.
enum SurvivingChanges {
    /// Up to this number of changes, every choice is made.
    private static let exhaustiveCount = 5

    /// The choices: every one if there are few changes. Of many, those that a program can be wrong about: the first changes survive,
    /// as on a medium that keeps their order; one is missing, on which later ones depend; and one survives without those before it.
    static func choices(among count: Int) -> [(Int) -> Bool] {
        if count <= exhaustiveCount {
            return (0..<(1 << count)).map { chosen in { chosen & 1 << $0 != 0 } }
        }
        let prefixes: [(Int) -> Bool] = (0...count).map { length in { $0 < length } }
        let single: [(Int) -> Bool] = (0..<count).map { index in { $0 == index } }
        let missing: [(Int) -> Bool] = (0..<count).map { index in { $0 != index } }
        return prefixes + missing + single
    }
}
