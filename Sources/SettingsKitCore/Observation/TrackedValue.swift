/// A cached value, of a setting or of a record, whose readers can be trackers of the Observation framework.
///
/// All handles over the value share its trackers. Until a tracker reads the value, nothing listens to its changes.
@usableFromInline protocol TrackedValue: AnyObject, Sendable {
    var trackers: ValueTrackers { get }

    /// Calls `signal` with the number of each commit that has changed the value.
    ///
    /// - Returns: A closure that ends it.
    func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void
}

extension TrackedValue {
    /// Reads the value, and has the calling tracker, if there is one, receive the changes that it has not read.
    ///
    /// - Parameter read: Returns the current value.
    @inlinable @inline(__always) func tracked<Value>(_ read: () -> Value) -> Value {
        // Without counting references, which takes longer than reading: the caller holds this object.
        let (generation, isReady) = Unmanaged.passUnretained(trackers)._withUnsafeGuaranteedRef { $0.noteRead() }
        guard isReady else { return beginListening(read) }
        let value = read()
        let isCurrent = Unmanaged.passUnretained(trackers)._withUnsafeGuaranteedRef { $0.isCurrent(generation) }
        return isCurrent ? value : readAfterChange(read)
    }

    /// Listens to changes from now on, because the first tracker reads the value, and reads it.
    @usableFromInline @inline(never) func beginListening<Value>(_ read: () -> Value) -> Value {
        // Several threads may be here. Each listens before it reads, and one of the listeners stays.
        let end = listen { [trackers] _ in trackers.notify() }
        if !trackers.noteListening() { end() }
        return readAfterChange(read)
    }

    /// Reads the value again: after a change during the read, the tracker has to join the generation that the next change
    /// retires.
    @usableFromInline @inline(never) func readAfterChange<Value>(_ read: () -> Value) -> Value {
        for _ in 0..<10 {
            let (generation, _) = trackers.noteRead()
            let value = read()
            if trackers.isCurrent(generation) { return value }
        }
        // The value changes with each read. The tracker is in a retired generation, and so will be notified again.
        return read()
    }
}
