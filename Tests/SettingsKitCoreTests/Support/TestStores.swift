import Foundation
import SettingsKitCore
import Testing

/// A store of two functions and nothing else, which counts its calls and lets a test look in and interfere.
final class TwoFunctionStore: SettingsStore {
    typealias Key = SettingsService.StorageKey

    private struct State {
        var contents: [String: Data] = [:]
        var setCount = 0
    }

    private let state = Mutex(State())
    private let willGet: @Sendable (Key) throws -> Void
    private let willSet: @Sendable (Key, Data?) throws -> Void

    init(
        _ contents: [String: Data] = [:], willGet: @escaping @Sendable (Key) throws -> Void = { _ in },
        willSet: @escaping @Sendable (Key, Data?) throws -> Void = { _, _ in }
    ) {
        self.willGet = willGet
        self.willSet = willSet
        state.withLock { $0.contents = contents }
    }

    func get(_ key: Key) throws -> Data? {
        try willGet(key)
        return state.withLock { $0.contents[key.name] }
    }

    func set(_ key: Key, to data: Data?) throws {
        try willSet(key, data)
        state.withLock { state in
            state.setCount += 1
            state.contents[key.name] = data
        }
    }

    var contents: [String: Data] { state.withLock { $0.contents } }
    var setCount: Int { state.withLock { $0.setCount } }

    /// Changes what is stored behind every service's back.
    func poke(_ name: String, _ text: String?) {
        state.withLock { $0.contents[name] = text.map { Data($0.utf8) } }
    }
}

/// A store with a feed of its own, whose writes a test can see, refuse and interrupt, and which changes from outside.
final class FeedStore: SettingsStore {
    typealias Key = SettingsService.StorageKey

    private let contents: Mutex<[String: Data]>
    private let ownFeed: SettingsStoreFeed
    private let willGet: @Sendable (Key) throws -> Void
    private let willWrite: @Sendable ([SettingsStoreBatch.Entry]) throws -> Void
    private let willSynchronize: @Sendable () throws -> Void

    init(
        _ contents: [String: Data] = [:], isExhaustive: Bool = true,
        willGet: @escaping @Sendable (Key) throws -> Void = { _ in },
        willWrite: @escaping @Sendable ([SettingsStoreBatch.Entry]) throws -> Void = { _ in },
        willSynchronize: @escaping @Sendable () throws -> Void = {}
    ) {
        self.contents = Mutex(contents)
        ownFeed = SettingsStoreFeed(isExhaustive: isExhaustive)
        self.willGet = willGet
        self.willWrite = willWrite
        self.willSynchronize = willSynchronize
    }

    var feed: SettingsStoreFeed? { ownFeed }
    var stored: [String: Data] { contents.withLock { $0 } }

    func get(_ key: Key) throws -> Data? {
        try willGet(key)
        return contents.withLock { $0[key.name] }
    }

    func set(_ key: Key, to data: Data?) throws {
        _ = try apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try willWrite(batch.writes)
        defer { ownFeed.flush() }
        return contents.withLock { contents in
            for expectation in batch.expectations where contents[expectation.key.name] != expectation.data {
                return false
            }
            write(batch.writes.map { ($0.key.name, $0.data) }, origin: .local, to: &contents)
            return true
        }
    }

    func keys() -> [String] { contents.withLock { Array($0.keys) } }

    func synchronize() throws { try willSynchronize() }

    /// Publishes these values as external changes, even if they are stored already.
    func changeFromOutside(_ changes: [(String, String?)]) {
        contents.withLock { contents in
            write(
                changes.map { ($0.0, $0.1.map { Data($0.utf8) }) }, origin: .external, to: &contents, publishesAll: true
            )
        }
        ownFeed.flush()
    }

    func report(_ error: SettingsError) { ownFeed.report(error) }

    private func write(
        _ writes: [(String, Data?)], origin: SettingsService.Origin, to contents: inout [String: Data],
        publishesAll: Bool = false
    ) {
        var changes: [SettingsStoreChange] = []
        for (name, data) in writes {
            let old = contents[name]
            if old != data || publishesAll { changes.append(.init(name: name, from: old, to: data)) }
            contents[name] = data
        }
        ownFeed.publish(changes, origin: origin)
    }
}

/// What a store may be, for tests that hold for each.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, cache, twoFunctions, feed

    var testDescription: String { rawValue }

    func make() -> any SettingsStore {
        switch self {
        case .memory: MemoryStore()
        case .cache: CacheStore()
        case .twoFunctions: TwoFunctionStore()
        case .feed: FeedStore()
        }
    }
}

/// What a test's store throws.
struct StoreBroken: Error {}
