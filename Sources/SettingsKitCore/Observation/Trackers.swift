import Observation
import Synchronization

/// Notifies the trackers of the Observation framework that have read a value, of a setting or of a record.
///
/// `withObservationTracking` installs a tracker only when its closure returns, so a change in between finds none. One further
/// notification after a burst of changes reaches such a tracker, and all others once more.
@usableFromInline final class Trackers: Observable, Sendable {
    @usableFromInline let registrar = ObservationRegistrar()
    /// Stored, because evaluating a key path literal for each read would cost more than the rest of the read.
    @usableFromInline let keyPath: KeyPath<Trackers, Void> & Sendable = \.value
    @usableFromInline let isListening = Atomic(false)
    /// The number of changes for which a task waits before it notifies once more; zero if there is no task.
    private let burst = Atomic(0)

    /// The property that trackers read.
    private var value: Void { () }

    /// Records that the calling tracker, if there is one, reads the value.
    ///
    /// - Returns: Whether the changes of the value are received.
    @inlinable @inline(__always) func recordRead() -> Bool {
        registrar.access(self, keyPath: keyPath)
        return isListening.load(ordering: .acquiring)
    }

    /// Notifies the trackers of a change, after which the new value can be read. Called with no lock held.
    func notify() {
        registrar.withMutation(of: self, keyPath: keyPath) {}
        guard burst.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        Task.detached { [weak self] in
            while let count = self?.burst.load(ordering: .acquiring) {
                do { try await Task.sleep(for: CoreTimings.trackerPause) } catch { return }
                guard let self else { return }
                if burst.compareExchange(expected: count, desired: 0, ordering: .acquiringAndReleasing).exchanged {
                    return registrar.withMutation(of: self, keyPath: keyPath) {}
                }
            }
        }
    }
}

/// A cached value, of a setting or of a record, with the trackers of all handles over it.
@usableFromInline protocol TrackedValue: AnyObject, Sendable {
    var trackers: Trackers { get }

    /// Calls `signal` with the number of each commit that has changed the value.
    ///
    /// - Returns: A closure that removes the listener.
    func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void
}

extension TrackedValue {
    /// Reads the value. If a tracker calls, it is notified of the changes that it has not read.
    @inlinable @inline(__always) func tracked<Value>(_ read: () -> Value) -> Value {
        // Without counting references, which takes longer than reading: the caller holds this object.
        let isListening = Unmanaged.passUnretained(trackers)._withUnsafeGuaranteedRef { $0.recordRead() }
        if !isListening { beginListening() }
        return read()
    }

    /// Begins to listen to changes, because a handle reads for the first time: whether a tracker calls cannot be told.
    @usableFromInline @inline(never) func beginListening() {
        // Several threads may be here. Each listens before it reads, and one of the listeners is kept.
        let end = listen { [trackers] _ in trackers.notify() }
        if trackers.isListening.exchange(true, ordering: .acquiringAndReleasing) { end() }
    }
}
