/// Decides when the files of a layer are read.
///
/// An edit looks like a half-written file, and an editor may rename the old file away first. So files are read when they have stayed
/// the same for a moment, or after several moments if they change all the time.
struct LayerFileProgress {
    enum Step: Equatable {
        case nothing
        /// Look again in a moment.
        case wait
        /// Read the files, if they are in one state.
        case read
    }

    /// The state of the files that were read last; nil if they could not be read.
    private(set) var read: LayerFilesState?
    /// The state after a change, which must stay the same, and the number of moments that were waited.
    private var changed: LayerFilesState?
    private var waits = 0
    /// Whether the files are read again although they seem to be the same: their times may be too coarse to show a change.
    private var mustReread = false
    /// The last error, which is reported once.
    private var problem: String?

    /// Returns what to do with files in a state.
    ///
    /// - Parameter isOld: Whether the times of the files are old enough to show every change since the last reading.
    mutating func step(for state: LayerFilesState, isOld: Bool) -> Step {
        if read == state {
            (changed, waits) = (nil, 0)
            return mustReread && isOld ? .read : .nothing
        }
        if changed == state || waits >= FileLayerLimits.settlingAttempts { return .read }
        (changed, waits) = (state, waits + 1)
        return .wait
    }

    /// Records that the files were read.
    ///
    /// - Returns: Whether they are to be read once more, when their times are old.
    mutating func record(_ state: LayerFilesState?) -> Bool {
        mustReread = read != state
        (read, changed, waits, problem) = (state, nil, 0, nil)
        return mustReread
    }

    /// Records that the files cannot be read.
    ///
    /// - Parameter state: The state of the files; nil if the error may go without a change of them.
    /// - Returns: Whether the error is to be reported.
    mutating func record(_ problem: String, in state: LayerFilesState?) -> Bool {
        defer { self.problem = problem }
        (read, changed, waits, mustReread) = (state, nil, 0, false)
        return self.problem != problem
    }
}
