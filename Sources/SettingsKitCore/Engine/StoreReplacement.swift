/// A replacement of a store by another, for listeners to groups: they are notified where the two stores differ.
struct StoreReplacement {
    /// The names to compare.
    let names: Set<String>
    /// The values of the replaced store under these names, when it was read.
    let contents: [String: StoredValue]
    /// The names that changed in the replaced store between that reading and the replacement.
    let changedNames: Set<String>
    /// The listeners to groups at the time of the replacement.
    let groups: [GroupListener]

    /// Returns the names whose values differ.
    ///
    /// - Parameter stored: The values of the present store.
    func differences(to stored: [String: StoredValue]) -> Set<String> {
        names.filter { contents[$0] != stored[$0] || changedNames.contains($0) }
    }
}
