/// A cached value, of a setting or of a record, whose readers can be trackers of the Observation framework.
///
/// All handles over the value share its trackers. Until a tracker reads the value, nothing listens to its changes.
@usableFromInline protocol TrackedValue: AnyObject, Sendable {
    var trackers: ValueTrackers { get }

    /// Calls `signal` with the number of each commit that has changed the value.
    ///
    /// - Returns: A closure that removes the listener.
    func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void
}

extension TrackedValue {
    /// Reads the value. If a tracker calls, it is notified of the changes that it has not read.
    ///
    /// - Parameter read: Returns the current value.
    @inlinable @inline(__always) func tracked<Value>(_ read: () -> Value) -> Value {
        // Without counting references, which takes longer than reading: the caller holds this object.
        let isReady = Unmanaged.passUnretained(trackers)._withUnsafeGuaranteedRef { $0.recordRead() }
        if !isReady { beginListening() }
        return read()
    }

    /// Begins to listen to changes, because the first tracker reads the value.
    @usableFromInline @inline(never) func beginListening() {
        // Several threads may be here. Each listens before it reads, and one of the listeners is kept.
        let end = listen { [trackers] _ in trackers.notify() }
        if !trackers.recordListening() { end() }
    }
}
