import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsKitUserDefaults

extension SettingsService.SettingDefinition {
    fileprivate static let volume = Setting<Int>("volume", in: .defaults, default: 1)
    fileprivate static let balance = Setting<Int>("balance", in: .defaults, default: 0)
}

/// What an administrator forces, which other processes change.
private final class ManagedDouble: ManagedValues {
    private let values = Mutex<[String: Data]>([:])
    private let signals = Mutex<[String: @Sendable () -> Void]>([:])
    private let others = Mutex<(@Sendable () -> Void)?>(nil)

    var observed: [String] { signals.withLock { $0.keys.sorted() } }

    /// Changes a value, and signals that as the system does.
    func change(_ name: String, to value: Int?) {
        values.withLock { $0[name] = value.map { Data("\($0)".utf8) } }
        signals.withLock { $0[name] }?()
    }

    func signalOthers() { others.withLock { $0 }?() }

    func names() -> [String] { values.withLock { Array($0.keys) } }
    func value(named name: String) -> Data? { values.withLock { $0[name] } }
    func observe(_ name: String, _ signal: @escaping @Sendable () -> Void) { signals.withLock { $0[name] = signal } }

    func observeOthers(_ signal: @escaping @Sendable () -> Void) -> AnyObject & Sendable {
        others.withLock { $0 = signal }
        return self
    }
}

@Suite("Managed preferences")
struct ManagedPreferencesTests {
    private let managed = ManagedDouble()

    private func settings() throws -> SettingsService {
        let store = ManagedPreferencesStore(managed)
        let layered = try LayeredStore([.locked(store, name: "managed"), .writable(MemoryStore())])
        return SettingsService(defaults: layered, diagnosticSink: .none)
    }

    @Test("A value that is forced while the program runs is noticed for each setting that was read")
    func whileRunning() throws {
        let settings = try settings()
        #expect(managed.observed.isEmpty)
        #expect(settings.get(.volume) == 1)
        #expect(managed.observed == ["volume"])
        let changes = Box<[Int]>([])
        let subscription = settings.observe(.volume) { changes.value.append($0.newValue) }
        // The profile arrives: neither its name nor any other had a value before.
        managed.change("volume", to: 5)
        #expect(settings.get(.volume) == 5)
        #expect(settings.isLocked(.volume))
        managed.change("volume", to: nil)
        #expect(settings.get(.volume) == 1 && !settings.isLocked(.volume))
        #expect(changes.value == [5, 1])
        subscription.cancel()
    }

    @Test("The settings of a catalogue's rows are observed, and a change just before that is noticed")
    func catalogue() throws {
        let settings = try settings()
        // Nothing observes the name yet, so nothing is signaled.
        managed.change("volume", to: 5)
        let catalogue = SettingsCatalogue("Player", [SettingsGroup("Sound", [.volume, .balance])])
        #expect(catalogue.rows(in: settings).map(\.isLocked) == [true, false])
        #expect(managed.observed == ["balance", "volume"])
        managed.change("balance", to: 2)
        #expect(catalogue.rows(in: settings).map(\.isLocked) == [true, true])
    }

    @Test("A value that cannot be observed by its name is noticed, and what is forced cannot be written")
    func writing() throws {
        let store = ManagedPreferencesStore(managed)
        let batch = SettingsStoreBatch(writes: [.init(key: key("volume"), data: Data("1".utf8))])
        #expect(thrownCode { try store.apply(batch) } == .readOnly)
        #expect(thrownCode { try store.set(key("volume"), to: Data("1".utf8)) } == .readOnly)
        #expect(store.get(key("volume")) == nil && store.keys().isEmpty)
        managed.change("balance", to: 5)
        managed.signalOthers()
        #expect(store.keys() == ["balance"] && store.get(key("balance")) == Data("5".utf8))
    }
}
