import Observation

/// The trackers that have read a value between two of its changes.
@usableFromInline final class TrackerGeneration: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    /// Evaluating a key path literal for each read would cost more than the rest of the read.
    private let keyPath: KeyPath<TrackerGeneration, Void> & Sendable = \.value

    /// Stands for the tracked value, which has no storage here.
    private var value: Void { () }

    /// Notes that the calling tracker, if there is one, has read the value.
    @usableFromInline func noteRead() { registrar.access(self, keyPath: keyPath) }

    /// Notifies the trackers that are installed. The Observation framework then removes them.
    func notify() { registrar.withMutation(of: self, keyPath: keyPath) {} }
}
