import SettingsKitCore
import Synchronization

/// The observers of a database.
final class Observers: Sendable {
    private let observers = Mutex<[ObjectIdentifier: Observer]>([:], .leaf)

    func add(_ observer: Observer) { observers.withLock { $0[ObjectIdentifier(observer)] = observer } }

    func remove(_ observer: Observer) { observers.withLock { $0[ObjectIdentifier(observer)] = nil } }

    /// Notifies the observers that a commit of this process may concern.
    func notify(ofCommit access: TableAccess) {
        if access.writes.isEmpty && !access.changesSchema { return }
        for observer in observers.withLock({ Array($0.values) }) { observer.notify(ofCommit: access) }
    }

    /// Notifies all observers: another process, or another part of this one, has committed a change.
    func notifyAll() {
        for observer in observers.withLock({ Array($0.values) }) { observer.signal.push(()) }
    }
}

/// Observes the tables that a closure reads.
final class Observer: Sendable {
    private struct State {
        /// The tables that were read; nil while reading.
        var tables: Set<String>?
        var digest: Int?
    }

    /// Called if the result may differ.
    let signal = StreamSource<Void>(limit: 1) { _, newer in newer }
    private let state = Mutex(State(), .leaf)

    func notify(ofCommit access: TableAccess) {
        let isConcerned = state.withLock { state in
            access.changesSchema || state.tables.map { !$0.isDisjoint(with: access.writes) } ?? true
        }
        if isConcerned { signal.push(()) }
    }

    /// Makes every change count, until the tables are known.
    func beginReading() { state.withLock { $0.tables = nil } }

    /// - Returns: whether the result differs from the last one.
    func endReading(_ access: TableAccess, digest: Int) -> Bool {
        state.withLock { state in
            state.tables = access.reads
            defer { state.digest = digest }
            return state.digest != digest
        }
    }
}
