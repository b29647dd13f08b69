/// The limits of subcommands. `TextLayout` has the width of texts.
enum CommandLimits {
    /// The greatest number of changes that wait for an output that is read slowly.
    static let waitingChanges = 10_000
}
