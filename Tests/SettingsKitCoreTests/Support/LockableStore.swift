import Foundation

@testable import SettingsKitCore

/// A store in memory that a test locks as another process would, and that has a background of its own.
final class LockableStore: SettingsStore, DeferringStore {
    typealias Key = SettingsService.StorageKey

    private let contents = Mutex<[String: Data]>([:], .contents)
    private let access = Mutex((), .files)
    private let ownFeed: SettingsStoreFeed
    private let scheduled: Box<[@Sendable () -> Void]>
    let pending: PendingWrites
    let isLocked = Box(false)
    let refused = Box<Set<String>>([])
    let failure = Box<SettingsError?>(nil)
    let forkCount: Box<Int>
    /// Called once, after the next batch is stored.
    let didStore = Box<(@Sendable () -> Void)?>(nil)
    /// Called once, before a change that depends on stored values takes the lock.
    let willStore = Box<(@Sendable () -> Void)?>(nil)
    /// Called once, while expectations are compared.
    let willHold = Box<(@Sendable () -> Void)?>(nil)

    init() {
        let (feed, scheduled, forkCount) = (SettingsStoreFeed(), Box<[@Sendable () -> Void]>([]), Box(0))
        (ownFeed, self.scheduled, self.forkCount) = (feed, scheduled, forkCount)
        pending = PendingWrites(
            feed, .init(schedule: { _, body in scheduled.value.append(body) }, forkCount: { forkCount.value }))
    }

    var feed: SettingsStoreFeed? { ownFeed }
    var description: String { "a lockable store" }
    var hindrance: any Error { StoreBroken() }
    var backgroundCount: Int { scheduled.value.count }

    func storedText(_ name: String) -> String? { storedData(named: name).map { String(decoding: $0, as: UTF8.self) } }

    func storedData(named name: String) -> Data? { contents.withLock { $0[name] } }

    func requireRoom(for writes: [SettingsStoreBatch.Entry]) {}

    /// Runs what was scheduled so far.
    func runBackground() { for body in scheduled.take(replacingWith: []) { body() } }

    func changeFromOutside(_ name: String, _ text: String) {
        publish([.init(key: .init(name, scope: .defaults), data: Data(text.utf8))], origin: .external)
        ownFeed.flush()
    }

    private func publish(_ writes: [SettingsStoreBatch.Entry], origin: SettingsService.Origin) {
        contents.withLock { contents in ownFeed.publish(contents.store(writes), origin: origin) }
    }

    func store(waiting: Duration, _ writes: @Sendable () -> [SettingsStoreBatch.Entry]) throws {
        _ = try store(writes) { _ in true }
    }

    private func store(
        _ writes: () -> [SettingsStoreBatch.Entry], if isPermitted: ([String: Data]) throws -> Bool
    ) throws -> Bool {
        defer { ownFeed.flush() }
        let isStored = try access.withLock { _ in
            if isLocked.value { throw SettingsError(.busy) }
            if let failure = failure.value { throw failure }
            let writes = writes()
            if writes.contains(where: { refused.value.contains($0.key.name) }) { throw SettingsError(.tooLarge) }
            guard try contents.withLock({ try isPermitted($0) }) else { return false }
            publish(writes, origin: .local)
            return true
        }
        didStore.take(replacingWith: nil)?()
        return isStored
    }

    func fate(after error: SettingsError) -> PendingWrites.Fate {
        error.code == .damaged ? .lost : error.isOfStore ? .kept : .refused
    }

    func get(_ key: Key) -> Data? { data(named: key.name) }

    func keys() throws -> [String] { pending.names(over: { contents.withLock { $0 } }, in: { Array($0.keys) }) }

    func synchronize() throws { try storePending(waiting: .zero) }

    func set(_ key: Key, to data: Data?) throws {
        do {
            try storePending(waiting: .zero)
            _ = try store({ [.init(key: key, data: data)] }, if: { _ in true })
        } catch SettingsError.Code.busy {
            try keep([.init(key: key, data: data)])
        }
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if batch.writes.isEmpty {
            return pending.hold(batch.expectations) { others in
                let holds = contents.withLock { contents in others.hold { contents[$0] } }
                willHold.take(replacingWith: nil)?()
                return holds
            }
        }
        return try storingPending(waiting: .zero) {
            willStore.take(replacingWith: nil)?()
            return try store({ batch.writes }) { contents in
                try pending.requireNone()
                return batch.expectations.hold { contents[$0] }
            }
        }
    }
}
