import Foundation

@testable import SettingsKitUserDefaults

/// A `UserDefaults` that calls its observers while it is written, as Apple's does.
final class DefaultsDouble: UserDefaultsValues {
    private let values = Mutex<[String: Data]>([:])
    private let signals = Mutex<[String: @Sendable () -> Void]>([:])
    /// Is called within each write of the store, when the value is stored and has been signaled.
    let whileWriting = Box<(@Sendable (String) -> Void)?>(nil)

    /// Changes a value as other code does, without a signal.
    func change(_ name: String, to data: Data?) { values.withLock { $0[name] = data } }

    /// Signals that a value may have changed.
    func signal(_ name: String) { signals.withLock { $0[name] }?() }

    func data(named name: String) -> Data? { data(named: name, isURL: false) }

    func data(named name: String, isURL: Bool) -> Data? { values.withLock { $0[name] } }

    func write(_ data: Data?, named name: String, isURL: Bool) {
        // In several steps, each of which is signaled.
        change(name, to: nil)
        signal(name)
        change(name, to: data)
        signal(name)
        whileWriting.value?(name)
    }

    func names() -> [String] { values.withLock { Array($0.keys) } }

    func observe(_ name: String, _ signal: @escaping @Sendable () -> Void) { signals.withLock { $0[name] = signal } }

    func synchronize() -> Bool { true }

    func use(_ body: () -> Void) { body() }
}
