import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

@Suite("UserDefaults as a store")
struct UserDefaultsStoreTests {
    private static let setting = Setting<Int>("n", in: .defaults, default: 0)

    @Test("A service reads an app's direct changes to UserDefaults at once, even if it has read the setting before")
    func readThrough() throws {
        try withSuite { name in
            let service = SettingsService(defaults: UserDefaultsStore(suite: name), diagnosticSink: .none)
            let defaults = try #require(UserDefaults(suiteName: name))
            #expect(service.get(Self.setting) == 0)
            for number in 1...3 {
                defaults.set(number, forKey: "n")
                #expect(service.get(Self.setting) == number)
            }
            defaults.removeObject(forKey: "n")
            #expect(service.get(Self.setting) == 0)
        }
    }

    @Test("Listeners receive changes made through any service of a store")
    func listeners() throws {
        try withSuite { name in
            let store = UserDefaultsStore(suite: name)
            let one = SettingsService(defaults: store, diagnosticSink: .none)
            let other = SettingsService(defaults: store, diagnosticSink: .none)
            let heard = Recorder<Int>()
            let subscription = other.observe(Self.setting) { heard.append($0.newValue) }
            one.set(Self.setting, to: 1)
            one.set(Self.setting, to: 1)
            other.set(Self.setting, to: 2)
            #expect(heard.all == [1, 2])
            subscription.cancel()
        }
    }

    @Test("A listener may read, set and synchronize")
    func reentrance() throws {
        try withSuite { name in
            let service = SettingsService(defaults: UserDefaultsStore(suite: name), diagnosticSink: .none)
            let other = Setting<Int>("other", in: .defaults, default: 0)
            let subscription = service.observe(Self.setting) { change in
                service.set(other, to: service.get(Self.setting) + change.newValue)
                do { try service.synchronize() } catch { Issue.record(error) }
            }
            service.set(Self.setting, to: 4)
            #expect(service.get(other) == 8)
            subscription.cancel()
        }
    }

    @Test("Listeners receive an app's direct changes at synchronize, and run without a lock held")
    func outsideChanges() throws {
        try withSuite { name in
            let store = UserDefaultsStore(suite: name)
            let service = SettingsService(defaults: store, diagnosticSink: .none)
            let defaults = try #require(UserDefaults(suiteName: name))
            #expect(service.get(Self.setting) == 0)
            let heard = Recorder<String>()
            let subscription = service.observe(Self.setting) { change in
                // Another thread may use the store while this one is in a listener.
                let isRead = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    _ = store.get(key("n"))
                    isRead.signal()
                }
                let isFree = isRead.wait(timeout: .now() + 5) == .success
                heard.append(
                    "\(change.oldValue) to \(change.newValue), \(change.origin), \(isFree ? "free" : "locked")")
            }
            defaults.set(5, forKey: "n")
            #expect(service.get(Self.setting) == 5)
            try service.synchronize()
            #expect(heard.all == ["0 to 5, external, free"])
            defaults.set(6, forKey: "n")
            service.set(Self.setting, to: 7)
            #expect(heard.all.dropFirst() == ["5 to 6, external, free", "6 to 7, local, free"])
            subscription.cancel()
        }
    }

    @Test("An observer of UserDefaults itself may read through the store")
    func foreignObserver() async throws {
        try await withSuite { name in
            await #expect(processExitsWith: .success) { [name = name as String] in
                alarm(20)
                let store = UserDefaultsStore(suite: name)
                let observer = NotificationCenter.default.addObserver(
                    forName: UserDefaults.didChangeNotification, object: nil, queue: nil
                ) { _ in _ = store.get(.init("n", scope: .defaults)) }
                store.set(.init("n", scope: .defaults), to: Data("1".utf8))
                try store.synchronize()
                store.set(.init("n", scope: .defaults), to: nil)
                NotificationCenter.default.removeObserver(observer)
            }
        }
    }

    @Test("Names that are equal as Swift strings are one key, whichever form the app has used")
    func canonicalEquivalence() throws {
        try withSuite { name in
            let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
            let store = UserDefaultsStore(suite: name)
            store.set(key(composed), to: Data("1".utf8))
            #expect(store.get(key(decomposed)) == Data("1".utf8))
            store.set(key(decomposed), to: Data("2".utf8))
            #expect(store.get(key(composed)) == Data("2".utf8))
            store.set(key(composed), to: nil)
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.set("native", forKey: decomposed)
            #expect(store.get(key(composed)) == Data(#""native""#.utf8))
            store.set(key(composed), to: nil)
            #expect(store.get(key(decomposed)) == nil)
            #expect(defaults.object(forKey: decomposed) == nil)
        }
    }

    @Test("A store lists the keys of all stored values, and none after removing everything")
    func keys() throws {
        try withSuite { name in
            let store = UserDefaultsStore(suite: name)
            store.set(key("a"), to: Data("1".utf8))
            store.set(key("b"), to: Data("2".utf8))
            #expect(Set(store.keys()).isSuperset(of: ["a", "b"]))
            try store.removeAll()
            #expect(store.get(key("a")) == nil && store.get(key("b")) == nil)
            #expect(Set(store.keys()).isDisjoint(with: ["a", "b"]))
        }
    }

    @Test("A suite lists its own keys only")
    func foreignKeys() throws {
        try withSuite { name in
            let store = UserDefaultsStore(suite: name)
            store.set(key("a"), to: Data("1".utf8))
            #expect(store.keys() == ["a"])
        }
    }

    @Test("Another process finds synchronized values", arguments: [true, false])
    func persisted(isSynchronized: Bool) async throws {
        try await withSuite { name in
            await #expect(processExitsWith: .success) {
                [name = name as String, isSynchronized = isSynchronized as Bool] in
                let store = UserDefaultsStore(suite: name)
                store.set(.init("n", scope: .defaults), to: Data("5".utf8))
                if isSynchronized { try store.synchronize() }
                // Otherwise the orderly exit does it.
                withExtendedLifetime(store) { Foundation.exit(0) }
            }
            await #expect(processExitsWith: .success) { [name = name as String] in
                let store = UserDefaultsStore(suite: name)
                try #require(store.get(.init("n", scope: .defaults)) == Data("5".utf8))
            }
        }
    }

    @Test("A store that is dropped right after a set has it written")
    func dropped() async throws {
        try await withSuite { name in
            await #expect(processExitsWith: .success) { [name = name as String] in
                do {
                    let store = UserDefaultsStore(suite: name)
                    store.set(.init("n", scope: .defaults), to: Data("5".utf8))
                }
                Foundation.exit(0)
            }
            await #expect(processExitsWith: .success) { [name = name as String] in
                let store = UserDefaultsStore(suite: name)
                try #require(store.get(.init("n", scope: .defaults)) == Data("5".utf8))
            }
        }
    }

    @Test("A dropped store is released")
    func lifetime() throws {
        try withSuite { name in
            weak var dropped: UserDefaultsStore?
            do {
                let store = UserDefaultsStore(suite: name)
                dropped = store
                store.set(key("n"), to: Data("1".utf8))
            }
            #expect(dropped == nil)
        }
    }
}
