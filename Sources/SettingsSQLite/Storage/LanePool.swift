import SettingsCore
import Synchronization

/// Lanes that tasks take, use and give back; who finds none waits, first come, first served.
final class LanePool: Sendable {
    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Lane?, Never>
    }

    private struct State {
        var idle: [Lane] = []
        /// How many may still be made.
        var room: Int
        var waiters: [Waiter] = []
        var lastID = 0
        /// Those who were cancelled before they had begun to wait.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>
    private let make: @Sendable () -> Lane

    init(limit: Int, make: @escaping @Sendable () -> Lane) {
        state = Mutex(State(room: limit))
        self.make = make
    }

    /// A lane, as soon as there is one.
    ///
    /// - Throws: `CancellationError`
    func take() async throws -> Lane {
        try Task.checkCancellation()
        if let lane = takeIdle() { return lane }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let lane = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isReady, lane): (Bool, Lane?) = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return (true, nil) }
                    // Perhaps one was given back meanwhile.
                    if let lane = state.idle.popLast() { return (true, lane) }
                    state.waiters.append(Waiter(id: id, continuation: continuation))
                    return (false, nil)
                }
                if isReady { continuation.resume(returning: lane) }
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume(returning: nil)
        }
        _ = state.withLock { $0.cancelled.remove(id) }
        guard let lane else { throw CancellationError() }
        return lane
    }

    /// A lane if there is one at once.
    func takeIdle() -> Lane? {
        let (lane, isNew): (Lane?, Bool) = state.withLock { state in
            if let lane = state.idle.popLast() { return (lane, false) }
            guard state.room > 0 else { return (nil, false) }
            state.room -= 1
            return (nil, true)
        }
        return isNew ? make() : lane
    }

    func give(_ lane: Lane) {
        let waiter: Waiter? = state.withLock { state in
            if state.waiters.isEmpty {
                state.idle.append(lane)
                return nil
            }
            return state.waiters.removeFirst()
        }
        waiter?.continuation.resume(returning: lane)
    }
}
