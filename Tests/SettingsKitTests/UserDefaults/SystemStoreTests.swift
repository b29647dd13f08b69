import Foundation
import SettingsKitCore
import SettingsTestKit
import Testing

@testable import SettingsKitUserDefaults

/// A `UserDefaults` that calls its observers while it is written, as Apple's does.
private final class DefaultsDouble: SystemValues {
    private let values = Mutex<[String: Data]>([:])
    private let signals = Mutex<[String: @Sendable () -> Void]>([:])
    /// Is called within the next write of the store, when the value is stored and has been signaled.
    let whileWriting = Box<(@Sendable () -> Void)?>(nil)
    let isWritable = Box(true)

    /// Changes a value as other code does, without a signal.
    func change(_ name: String, to data: Data?) { values.withLock { $0[name] = data } }

    /// Signals that a value may have changed.
    func signal(_ name: String) { signals.withLock { $0[name] }?() }

    func data(named name: String, isURL: Bool = false) -> Data? { values.withLock { $0[name] } }

    func write(_ data: Data?, named name: String, isURL: Bool) {
        // In several steps, each of which is signaled.
        change(name, to: nil)
        signal(name)
        change(name, to: data)
        signal(name)
        whileWriting.take(replacingWith: nil)?()
    }

    func names() -> [String] { values.withLock { Array($0.keys) } }
    func observe(_ name: String, _ signal: @escaping @Sendable () -> Void) { signals.withLock { $0[name] = signal } }
    func synchronize() -> Bool { isWritable.value }
}

@Suite("Values of the system that other code changes", .timeLimit(Rounds.timeLimit), .ownThreads)
struct SystemStoreTests {
    private let defaults = DefaultsDouble()
    private let store: SystemStore
    private let heard = Recorder<String>()
    private let subscription: SettingsService.Subscription

    init() {
        store = SystemStore(defaults, description: "double")
        let setting = Setting<Int>("n", in: .defaults, default: 0)
        subscription = SettingsService(defaults: store, diagnosticSink: .none).observe(setting) { [heard] change in
            heard.append("\(change.oldValue) to \(change.newValue), \(change.origin)")
        }
    }

    @Test("They keep the contract of a store")
    func conformance() async {
        let report = await StoreConformance { SystemStore(DefaultsDouble(), description: "double") }.run()
        #expect(report.failures.isEmpty, "\(report)")
    }

    @Test("A change of other code reaches listeners when it is signaled, once, or before the store's next change")
    func signaled() {
        defaults.change("n", to: bytes(1))
        for _ in 0..<2 { defaults.signal("n") }
        defaults.change("n", to: bytes(2))
        #expect(store.get(key("n")) == bytes(2))
        onAnotherThread { [defaults] in defaults.signal("n") }
        #expect(heard.all == ["0 to 1, external", "1 to 2, external"])
        defaults.change("n", to: bytes(3))
        store.set(key("n"), to: bytes(4))
        defaults.signal("n")
        #expect(heard.all.dropFirst(2) == ["2 to 3, external", "3 to 4, local"])
    }

    @Test("A change that other code makes while the store writes reaches listeners", arguments: [false, true])
    func changeWhileWriting(isOnAnotherThread: Bool) {
        defaults.whileWriting.value = { [defaults] in
            defaults.change("n", to: bytes(9))
            if isOnAnotherThread { onAnotherThread { defaults.signal("n") } } else { defaults.signal("n") }
        }
        store.set(key("n"), to: bytes(1))
        #expect(heard.all == ["0 to 1, local", "1 to 9, external"])
        #expect(store.get(key("n")) == bytes(9))
    }

    @Test(
        "No lock is held while a value is written: an observer may set it, and wait for threads that do",
        arguments: [false, true])
    func setWhileWriting(isOnAnotherThread: Bool) {
        let set: @Sendable () -> Void = { [store] in
            #expect(store.get(key("n")) == bytes(1) && store.get(key("other")) == nil)
            store.set(key("other"), to: bytes(5))
            store.set(key("n"), to: bytes(6))
            // It is not written yet, but it is set.
            #expect(store.get(key("n")) == bytes(6) && Set(store.keys()) == ["n", "other"])
        }
        defaults.whileWriting.value = { if isOnAnotherThread { onAnotherThread(set) } else { set() } }
        store.set(key("n"), to: bytes(1))
        #expect(heard.all == ["0 to 1, local", "1 to 6, local"])
        #expect(defaults.data(named: "n") == bytes(6) && defaults.data(named: "other") == bytes(5))
    }

    @Test("A batch whose expectation was changed by other code is refused")
    func expectations() {
        store.set(key("n"), to: bytes(1))
        defaults.change("n", to: bytes(2))
        let batch = SettingsStoreBatch(
            writes: [.init(key: key("n"), data: bytes(3))], expectations: [.init(key: key("n"), data: bytes(1))])
        #expect(!store.apply(batch) && defaults.data(named: "n") == bytes(2))
    }

    @Test("A failure of the system is thrown, after changes of other code are published")
    func failure() {
        defaults.change("n", to: bytes(1))
        defaults.isWritable.value = false
        #expect(thrownCode { try store.synchronize() } == .notSaved)
        #expect(heard.all == ["0 to 1, external"])
    }

    @Test("Changes form a chain, and end on the stored value, when other code and the store write at once")
    func severalWriters() {
        for round in 1...Rounds.choose(20, full: 300) {
            let defaults = DefaultsDouble()
            let store = SystemStore(defaults, description: "double")
            let published = Recorder<SettingsStoreChange>()
            let subscription = store.feed?.observe { changes, _ in
                for change in changes { published.append(change) }
            }
            #expect(store.get(key("n")) == nil)
            inParallel(5) { thread in
                for number in 1...50 {
                    let data = bytes(round * 1_000_000 + thread * 1_000 + number)
                    switch thread {
                    case 0, 1: store.set(key("n"), to: data)
                    case 2:
                        defaults.change("n", to: data)
                        defaults.signal("n")
                    case 3: defaults.signal("n")
                    default: _ = store.get(key("n"))
                    }
                }
            }
            defaults.signal("n")
            let changes = published.all
            #expect(changes.first?.oldData == nil)
            for (change, next) in zip(changes, changes.dropFirst()) { #expect(change.newData == next.oldData) }
            #expect(changes.last?.newData == defaults.data(named: "n"))
            #expect(store.get(key("n")) == defaults.data(named: "n"))
            subscription?.cancel()
        }
    }
}

private func bytes(_ number: Int) -> Data { Data("\(number)".utf8) }
