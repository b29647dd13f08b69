/// The limits of the tool. `CommandLimits` has those of all subcommands.
enum ToolLimits {
    /// The number of changes that are stored together: few enough for any store, and enough to spread the cost of a batch.
    static let batch = 500
    /// The widest column of names in `list`.
    static let nameColumns = 40
    /// The number of names among which the intended one is sought.
    static let soughtNames = 2_000
    /// The number of settings that cannot be imported that a message lists.
    static let listedSettings = 20
}
