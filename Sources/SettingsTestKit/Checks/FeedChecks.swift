import Foundation
import SettingsKitCore
import Synchronization

extension Check {
    /// A store with a feed publishes each of its changes once, in order, and nothing else.
    static let feed = [
        Check("feed.same", "The feed is the same object each time.") { store in
            guard let feed = store.feed else { throw NotOffered(reason: "the store has no feed") }
            try require(store.feed === feed, "The second time, it was another object.")
        },
        Check("feed.once", "Each change is published once, with the bytes before and after.") { store in
            let recorder = try Recorder(store)
            let texts = [nil, "1", "2", nil]
            for text in texts.dropFirst() { try store.set("a", text) }
            let expected = zip(texts, texts.dropFirst()).map { Recorder.change("a", from: $0, to: $1) }
            let delivered = recorder.delivered(expected.count)
            try require(delivered == expected, "Delivered: \(delivered).")
            try require(recorder.published == expected.map { [$0] }, "Published: \(recorder.published).")
        },
        Check("feed.changes-only", "A write that changes nothing is not published.") { store in
            try store.set("a", "1")
            let recorder = try Recorder(store)
            try store.set("a", "1")
            try store.set("absent", nil)
            _ = try store.apply(["a": "1"])
            try recorder.requireSilence()
        },
        Check("feed.batch", "A batch is published at once, each key with its last bytes.") { store in
            let recorder = try Recorder(store)
            _ = try store.apply(["a": "1", "b": "2", "c": "3"])
            let expected = [("a", "1"), ("b", "2"), ("c", "3")].map { Recorder.change($0, from: nil, to: $1) }
            let delivered = recorder.delivered(1)
            try require(delivered == [expected[0]], "Delivered: \(delivered).")
            try require(recorder.published == [expected], "Published: \(recorder.published).")
        },
        Check("feed.refused", "A refused batch is not published.") { store in
            let recorder = try Recorder(store)
            _ = try store.apply(["a": "1"], expecting: ["b": ""])
            try recorder.requireSilence()
        },
        Check("feed.remove-all", "removeAll publishes a change for each stored key.") { store in
            _ = try store.names()
            try store.set("a", "1")
            try store.set("b", "2")
            let recorder = try Recorder(store)
            try store.removeAll()
            let expected = [("a", "1"), ("b", "2")].map { Recorder.change($0, from: $1, to: nil) }
            let delivered = recorder.delivered(1)
            try require(delivered == [expected[0]], "Delivered: \(delivered).")
            let published = recorder.published.joined().sorted { $0.name < $1.name }
            try require(published == expected, "Published: \(published).")
        },
        Check("feed.current", "After a set returns, no service reads an older value.") { store in
            let service = try Recorder(store).service
            for number in 0..<100 {
                try store.set("a", "\(number)")
                try require(service.get(Recorder.setting) == Data("\(number)".utf8), "A service read an older value.")
            }
        },
    ]
}

/// The changes that a store publishes, and those of one setting that a service over the store delivers.
final class Recorder: Sendable {
    static let setting = SettingsService.Setting<Data?>("a", in: .custom(id: "conformance"))

    let service: SettingsService
    private let state = Mutex((published: [[SettingsStoreChange]](), delivered: [SettingsStoreChange]()), .leaf)
    private let didDeliver = DispatchSemaphore(value: 0)
    private let subscriptions = Mutex<[SettingsService.Subscription]>([], .leaf)

    /// Observes a store that must have a feed.
    convenience init(_ store: any SettingsStore) throws {
        if store.feed == nil { throw NotOffered(reason: "the store has no feed") }
        self.init(observing: store)
    }

    init(observing store: any SettingsStore) {
        service = store.service()
        // A service repairs what a feed gets wrong, as far as it can.
        let subscriptions = [
            store.feed?.observe { [weak self] changes, _ in
                let plain = changes.map { SettingsStoreChange(name: $0.name, from: $0.oldData, to: $0.newData) }
                self?.state.withLock { $0.published.append(plain.sorted { $0.name < $1.name }) }
            },
            service.observe(Self.setting) { [weak self] change in
                self?.state.withLock {
                    $0.delivered.append(.init(name: "a", from: change.oldValue, to: change.newValue))
                }
                self?.didDeliver.signal()
            },
        ]
        self.subscriptions.withLock { $0 = subscriptions.compactMap(\.self) }
    }

    static func change(_ name: String, from old: String?, to new: String?) -> SettingsStoreChange {
        .init(name: name, from: old.map { Data($0.utf8) }, to: new.map { Data($0.utf8) })
    }

    /// The changes so far, by the calls that published them, in the order of the names.
    var published: [[SettingsStoreChange]] { state.withLock { $0.published } }

    var delivered: [SettingsStoreChange] { state.withLock { $0.delivered } }

    /// Waits until as many changes were delivered: a store's thread that is calling listeners while a write returns also calls these.
    func delivered(_ count: Int) -> [SettingsStoreChange] {
        let limit = DispatchTime.now() + .seconds(5)
        while true {
            let delivered = self.delivered
            if delivered.count >= count || didDeliver.wait(timeout: limit) == .timedOut { return delivered }
        }
    }

    func requireSilence() throws {
        try require(published.isEmpty && delivered.isEmpty, "Published: \(published), delivered: \(delivered).")
    }
}
