/// The values of one layer in a ``LayerTable``, and the way in which they get there.
struct LayerColumn: Sendable {
    /// The way in which a column gets the values of its layer.
    enum Access {
        /// All values were loaded, and every change is applied.
        case followed
        /// The layer is to be loaded, not before a time; nil while a thread loads it.
        case due(ContinuousClock.Instant?)
        /// Each access reads the layer, because it does not publish every change or cannot list its names.
        case read
    }

    var access: Access
    /// The error because of which values are missing: the layer cannot be read, or its file was damaged when it was loaded.
    var problem: SettingsError?
    /// Whether a text that others change was read, so that an error hides no value.
    var hasText = false
    /// The moment from which each known value is; not used if the column is followed.
    var known: [String: Int] = [:]

    var isFollowed: Bool { if case .followed = access { true } else { false } }

    /// Whether each access reads the layer. Not if it cannot be loaded: it is tried again later, and its answers are provisional.
    var isReadThrough: Bool {
        switch access {
        case .followed: false
        case .due: problem == nil
        case .read: true
        }
    }

    func knows(_ name: String) -> Bool { isFollowed || known[name] != nil }
}
