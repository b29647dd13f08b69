import Dispatch
import SettingsKitCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The changes that a store published, and those that listeners of a service over the store received.
final class Recorder: Sendable {
    struct Change: Sendable, Equatable {
        var old: Data?
        var new: Data?
    }

    private struct State: Sendable {
        var published: [String: [Change]] = [:]
        var changes: [String: [Change]] = [:]
        var sets: [Set<String>] = []
    }

    let service: SettingsService
    private let state = Mutex(State(), .leaf)
    private let didReceive = DispatchSemaphore(value: 0)
    private let subscriptions = Mutex<[SettingsService.Subscription]>([], .leaf)

    /// Observes a service over a store that must have a feed.
    init(_ store: any SettingsStore, names: [String]) throws {
        guard let feed = store.feed else { throw NotOffered(reason: "the store has no feed") }
        service = SettingsService(
            stores: [.custom(id: "conformance"): store], diagnosticSink: .none)
        var subscriptions = names.map { name in
            service.observe(Self.setting(name)) { [weak self] change in
                self?.receive {
                    $0.changes[name, default: []].append(.init(old: change.oldValue, new: change.newValue))
                }
            }
        }
        subscriptions.append(
            service.observe { [weak self] changes in
                self?.receive { $0.sets.append(Set(changes.keys.map(\.name))) }
            })
        // A service repairs what a feed gets wrong, as far as it can.
        subscriptions.append(
            feed.observe { [weak self] changes, _ in
                self?.state.withLock { state in
                    for change in changes {
                        state.published[change.name, default: []].append(
                            .init(old: change.oldData, new: change.newData))
                    }
                }
            })
        let made = subscriptions
        self.subscriptions.withLock { $0 = made }
    }

    static func setting(_ name: String) -> SettingsService.Setting<Data?> {
        SettingsService.Setting<Data?>(name, in: .custom(id: "conformance"))
    }

    private func receive(_ record: (inout State) -> Void) {
        state.withLock { record(&$0) }
        didReceive.signal()
    }

    /// The received changes so far; with a count, waits until as many were received. A store's thread that is calling listeners
    /// while a write returns also calls these.
    func changes(of name: String, count: Int = 0) -> [Change] {
        received(count) { $0.changes[name] ?? [] }
    }

    /// The changes of a name that the store has published so far.
    func published(_ name: String) -> [Change] { state.withLock { $0.published[name] ?? [] } }

    func changeSets(count: Int = 0) -> [Set<String>] { received(count, \.sets) }

    private func received<Element>(_ count: Int, _ elements: (State) -> [Element]) -> [Element] {
        let limit = DispatchTime.now() + .seconds(5)
        while true {
            let received = elements(state.withLock { $0 })
            if received.count >= count || didReceive.wait(timeout: limit) == .timedOut { return received }
        }
    }
}

extension Check {
    /// A store with a feed publishes each of its changes once, in order, and nothing else.
    static let feed = [
        Check("feed.same", "The feed is the same object each time.") { store in
            guard let feed = store.feed else { throw NotOffered(reason: "the store has no feed") }
            try require(store.feed === feed, "The second time, it was another object.")
        },
        Check("feed.once", "Each change is published once, with the bytes before and after.") { store in
            let recorder = try Recorder(store, names: ["a", "b"])
            let (one, two) = (Data("1".utf8), Data("2".utf8))
            try store.set(key("a"), to: one)
            try store.set(key("a"), to: two)
            try store.set(key("a"), to: nil)
            let expected: [Recorder.Change] = [
                .init(old: nil, new: one), .init(old: one, new: two), .init(old: two, new: nil),
            ]
            let received = recorder.changes(of: "a", count: expected.count)
            try require(received == expected, "Delivered: \(received).")
            try require(recorder.published("a") == expected, "Published: \(recorder.published("a")).")
            try require(recorder.changes(of: "b").isEmpty, "A change of a key that was not set was published.")
        },
        Check("feed.changes-only", "A write that changes nothing is not published.") { store in
            try store.set(key("a"), to: Data("1".utf8))
            let recorder = try Recorder(store, names: ["a", "absent"])
            try store.set(key("a"), to: Data("1".utf8))
            try store.set(key("absent"), to: nil)
            _ = try store.apply(.init(writes: [.init(key: key("a"), data: Data("1".utf8))]))
            try require(recorder.changeSets().isEmpty, "Published: \(recorder.changeSets()).")
        },
        Check("feed.batch", "A batch is published at once, each key with its last bytes.") { store in
            let recorder = try Recorder(store, names: ["a", "b"])
            _ = try store.apply(
                .init(writes: [
                    .init(key: key("a"), data: Data("1".utf8)), .init(key: key("b"), data: Data("2".utf8)),
                    .init(key: key("c"), data: Data("3".utf8)),
                ]))
            let sets = recorder.changeSets(count: 1)
            try require(sets == [["a", "b", "c"]], "Published: \(sets).")
            try require(
                recorder.changes(of: "b", count: 1) == [.init(old: nil, new: Data("2".utf8))],
                "b was published wrongly.")
        },
        Check("feed.refused", "A refused batch is not published.") { store in
            let recorder = try Recorder(store, names: ["a"])
            _ = try store.apply(
                .init(
                    writes: [.init(key: key("a"), data: Data("1".utf8))],
                    expectations: [.init(key: key("b"), data: Data())]))
            try require(recorder.changeSets().isEmpty, "Published: \(recorder.changeSets()).")
        },
        Check("feed.remove-all", "removeAll publishes a change for each stored key.") { store in
            do {
                _ = try store.keys()
            } catch SettingsError.Code.unsupported {
                throw NotOffered(reason: "the store does not list its keys")
            }
            try store.set(key("a"), to: Data("1".utf8))
            try store.set(key("b"), to: Data("2".utf8))
            let recorder = try Recorder(store, names: ["a", "b", "absent"])
            try store.removeAll()
            try require(
                recorder.changes(of: "a", count: 1) == [.init(old: Data("1".utf8), new: nil)],
                "a was published wrongly.")
            try require(
                recorder.changes(of: "b", count: 1) == [.init(old: Data("2".utf8), new: nil)],
                "b was published wrongly.")
            try require(recorder.changes(of: "absent").isEmpty, "A change of an absent key was published.")
        },
        Check("feed.current", "After a set returns, no service reads an older value.") { store in
            let recorder = try Recorder(store, names: [])
            let setting = Recorder.setting("a")
            for number in 0..<100 {
                let data = Data("\(number)".utf8)
                try store.set(key("a"), to: data)
                try require(recorder.service.get(setting) == data, "A service read an older value.")
            }
        },
    ]
}
