import SettingsKitCore
import Synchronization

/// Who wants to hear of changes in a database.
final class Observers: Sendable {
    private let observers = Mutex<[ObjectIdentifier: Observer]>([:])

    func add(_ observer: Observer) { observers.withLock { $0[ObjectIdentifier(observer)] = observer } }

    func remove(_ observer: Observer) { observers.withLock { $0[ObjectIdentifier(observer)] = nil } }

    /// Tells those whom a commit of this process may concern.
    func noteCommit(_ access: TableAccess) {
        if access.writes.isEmpty && !access.changesSchema { return }
        for observer in observers.withLock({ Array($0.values) }) { observer.note(access) }
    }

    /// Tells all: another process, or another part of this one, has committed something.
    func noteAnything() {
        for observer in observers.withLock({ Array($0.values) }) { observer.signal.push(()) }
    }
}

/// One who has read something, and wants to hear when it is something else.
final class Observer: Sendable {
    private struct State {
        /// The tables that were read; nil while it is being read.
        var tables: Set<String>?
        var digest: Int?
    }

    /// Something may be different.
    let signal = StreamSource<Void>(limit: 1) { _, newer in newer }
    private let state = Mutex(State())

    func note(_ access: TableAccess) {
        let isConcerned = state.withLock { state in
            access.changesSchema || state.tables.map { !$0.isDisjoint(with: access.writes) } ?? true
        }
        if isConcerned { signal.push(()) }
    }

    /// From now on everything is of concern, until it is known what was read.
    func beginReading() { state.withLock { $0.tables = nil } }

    /// - Returns: whether what was read is something else than the last time.
    func endReading(_ access: TableAccess, digest: Int) -> Bool {
        state.withLock { state in
            state.tables = access.reads
            defer { state.digest = digest }
            return state.digest != digest
        }
    }
}
