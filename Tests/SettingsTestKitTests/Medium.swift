import Foundation
import SettingsKitCore

/// What a store writes to: it can become unreadable, and refuse changes, each alone.
final class Medium: Sendable {
    struct Unreadable: Error {}
    struct Unwritable: Error {}

    private struct State {
        var contents: [String: Data] = [:]
        var isReadable = true
        var isWritable = true
        var isLocked = false
    }

    private let state = Mutex(State())

    var isReadable: Bool {
        get { state.withLock { $0.isReadable } }
        set { state.withLock { $0.isReadable = newValue } }
    }

    var isWritable: Bool {
        get { state.withLock { $0.isWritable } }
        set { state.withLock { $0.isWritable = newValue } }
    }

    /// By a process that is gone.
    var isLocked: Bool {
        get { state.withLock { $0.isLocked } }
        set { state.withLock { $0.isLocked = newValue } }
    }

    func read() throws -> [String: Data] {
        try state.withLock { state in
            if !state.isReadable { throw Unreadable() }
            return state.contents
        }
    }

    func write(_ data: Data?, named name: String) throws { try change { $0[name] = data } }
    func write(_ contents: [String: Data]) throws { try change { $0 = contents } }

    private func change(_ body: (inout [String: Data]) -> Void) throws {
        try state.withLock { state in
            if !state.isWritable || state.isLocked { throw Unwritable() }
            body(&state.contents)
        }
    }
}
