/// The place of a mutex in the order in which a thread may lock several.
///
/// A thread locks a mutex only while every mutex that it holds has a lower rank. Two threads then cannot wait for each other. User
/// code runs while no mutex is held; the exceptions call ``HeldLocks/excepting(_:)``. Debug builds can check both with
/// ``HeldLocks``; see the article *Architecture*.
@usableFromInline package enum LockRank: UInt8, Sendable {
    /// The standard store, while it is opened.
    case standardStore
    /// The stores that are open, while another one is opened.
    case opening
    /// A wrapper around a store of two functions, while it calls the store.
    case twoFunctionStore
    /// Looking at a property list, or printing it.
    case printing
    /// Flushing a log.
    case flushing
    /// Beginning a log.
    case beginning
    /// The threads that wait for a log's files, while one of them looks whether they are free.
    case waiting
    /// A store's files or its database, and with them the lock that other processes respect.
    case files
    /// A store's memory of its file or of a cluster. No file is used while it is held.
    case contents
    /// A stand-in for a store that is not open yet, inside the memory of the store that replaces it.
    case standIn
    /// A layered store's state of its layers, inside the memory of the layer that changes.
    case layers
    /// The settings of a service, while one is added.
    case settings
    /// A service's connection to a store: its commits, listeners and events.
    case connection
    /// The errors of a service.
    case diagnostics
    /// The publication of a cached value.
    case cachedValue
    /// The locks of a cached value's readers, which a writer locks one after the other.
    case cachedValueReader
    /// Locks inside which no other lock is taken.
    case leaf

    /// Returns whether a thread that holds a mutex of this rank may wait for one of another rank. Reader locks have their own
    /// order.
    func mayPrecede(_ other: LockRank) -> Bool {
        rawValue < other.rawValue || self == other && self == .cachedValueReader
    }
}
