import Foundation
import SettingsKitCore
import Synchronization

/// Counts the calls of some stores together, and has one of them fail, or all from one on.
final class Fuse: Sendable {
    enum Fault: Sendable {
        case none
        case once(Int)
        /// As if the process died: nothing has an effect from this call on.
        case from(Int)
    }

    private let state = Mutex((fault: Fault.none, count: 0))

    var count: Int { state.withLock { $0.count } }

    func set(_ fault: Fault) { state.withLock { $0 = (fault, 0) } }

    func call() throws {
        try state.withLock { state in
            defer { state.count += 1 }
            switch state.fault {
            case .once(let number) where number == state.count: throw StoreBroken()
            case .from(let number) where number <= state.count: throw StoreBroken()
            default: break
            }
        }
    }
}

/// A store whose calls a fuse counts.
final class FusedStore: SettingsStore {
    typealias Key = SettingsService.StorageKey

    let base: any SettingsStore
    let fuse: Fuse

    init(_ base: any SettingsStore, _ fuse: Fuse) { (self.base, self.fuse) = (base, fuse) }

    var feed: SettingsStoreFeed? { base.feed }

    func get(_ key: Key) throws -> Data? {
        try fuse.call()
        return try base.get(key)
    }

    func set(_ key: Key, to data: Data?) throws {
        try fuse.call()
        try base.set(key, to: data)
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try fuse.call()
        return try base.apply(batch)
    }

    func synchronize() throws {
        try fuse.call()
        try base.synchronize()
    }
}

/// A store of two functions whose calls a fuse counts, those of a batch one by one.
final class FusedFunctions: SettingsStore {
    typealias Key = SettingsService.StorageKey

    let base: TwoFunctionStore
    let fuse: Fuse

    init(_ base: TwoFunctionStore, _ fuse: Fuse) { (self.base, self.fuse) = (base, fuse) }

    func get(_ key: Key) throws -> Data? {
        try fuse.call()
        return try base.get(key)
    }

    func set(_ key: Key, to data: Data?) throws {
        try fuse.call()
        try base.set(key, to: data)
    }
}
