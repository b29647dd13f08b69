import Foundation
import SettingsKitCore
import Testing

/// What several processes have stored in one place.
private typealias Place = Box<[String: Data]>

/// A process's store, which reads the changes that it has noticed: those of others only when it writes itself.
private final class LateStore: SettingsStore {
    private let place: Place
    private let heard: Mutex<[String: Data]>
    private let ownFeed = SettingsStoreFeed()

    init(_ place: Place) {
        self.place = place
        heard = Mutex(place.value)
    }

    var feed: SettingsStoreFeed? { ownFeed }

    func get(_ key: SettingsService.StorageKey) -> Data? { heard.withLock { $0[key.name] } }

    func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) -> Bool {
        var stored = place.value
        let holds = batch.expectations.allSatisfy { stored[$0.key.name] == $0.data }
        if holds {
            for write in batch.writes { stored[write.key.name] = write.data }
            place.value = stored
        }
        heard.withLock { heard in
            let names = Set(heard.keys).union(stored.keys)
            ownFeed.publish(
                names.filter { heard[$0] != stored[$0] }.map { .init(name: $0, from: heard[$0], to: stored[$0]) },
                origin: .external)
            heard = stored
        }
        ownFeed.flush()
        return holds
    }
}

@Suite("Migrations in processes that receive each other's changes late")
struct LateHearingTests {
    private let near = Place([:])
    private let far = Place([:])
    private let leftCount = Setting<Int>("leftCount", in: .defaults, default: 0)
    private let rightCount = Setting<Int>("rightCount", in: .shared, default: 0)
    private let right = Setting<Int>("right", in: .shared, default: 0)

    private func process() -> (service: SettingsService, near: LateStore, far: LateStore) {
        let stores = (LateStore(near), LateStore(far))
        let service = SettingsService(stores: [.defaults: stores.0, .shared: stores.1], diagnosticSink: .none)
        return (service, stores.0, stores.1)
    }

    private func step(_ number: Int) -> SettingsService.Migration {
        .version("\(number)") { [leftCount, rightCount, right] t in
            t[leftCount] += 1
            t[rightCount] += 1
            t.set(right, to: number)
        }
    }

    @Test("Each step builds on the steps of other processes, in every store")
    func steps() throws {
        let processes = (0..<3).map { _ in process().service }
        for number in 1...12 { try processes[number % 3].migrate([step(number)]) }
        let found = process().service
        #expect(found.get(leftCount) == 12)
        #expect(found.get(rightCount) == 12)
        #expect(found.get(right) == 12)
    }
}
