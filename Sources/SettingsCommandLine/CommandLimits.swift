import Dispatch

/// The limits and times of subcommands. `TextLayout` has the width of texts.
package enum CommandLimits {
    /// The size of the largest file with settings that is read, in bytes: no store holds as much.
    package static let fileSize = 256 << 20
    /// The greatest number of changes that wait for an output that is read slowly. The oldest are dropped.
    static let waitingChanges = 10_000
    /// The time between two checks whether the output of `watch` is still read, while there are no changes.
    static let outputCheck: DispatchTimeInterval = .milliseconds(200)
    /// The columns of a line that shows how far an operation is.
    static let progressColumns = 40
}
