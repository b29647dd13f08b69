import Foundation
import SettingsKitCore
import SettingsTestKit

/// A store that asks its medium at each call, with a feed, correctly or with one fault that loses data when the medium or the
/// process fails.
final class BrokenDurableStore: SettingsStore {
    enum Fault: String, CaseIterable, Sendable {
        case forgetsAtReopening
        case answersNilIfUnreadable
        case opensUnreadableAsEmpty
        case overwritesWhatItCannotRead
        case changesAndThrows
        case refusesAndWritesLater
        case changesHalfABatchAndThrows
        case writesToAnswer
        case removesOneAndThrows
        case publishesAndThrows
        case acknowledgesWhatItCannotWrite
        case synchronizesWhatItCannotWrite
        case staysBroken
        case quotesAValue
        case quotesAValueInBase64
        case keepsAValueInAnError
        case losesTheLastChangeOfAProcess
        case storesWhatWasNeverSet
        case tearsABatchOfAProcess
        case leavesALock

        /// The rule that it breaks, perhaps besides others.
        var rule: String {
            switch self {
            case .forgetsAtReopening: "durability.reopened"
            case .answersNilIfUnreadable: "unreadable.throws"
            case .opensUnreadableAsEmpty: "unreadable.reopened"
            case .overwritesWhatItCannotRead: "unreadable.kept"
            case .changesAndThrows, .refusesAndWritesLater: "unwritable.set"
            case .changesHalfABatchAndThrows: "unwritable.batch"
            case .writesToAnswer: "unwritable.question"
            case .removesOneAndThrows: "unwritable.remove-all"
            case .publishesAndThrows: "unwritable.feed"
            case .acknowledgesWhatItCannotWrite, .synchronizesWhatItCannotWrite: "unwritable.acknowledged"
            case .staysBroken: "unwritable.repaired"
            case .quotesAValue, .quotesAValueInBase64, .keepsAValueInAnError: "errors.no-values"
            case .losesTheLastChangeOfAProcess, .storesWhatWasNeverSet: "durability.killed"
            case .tearsABatchOfAProcess: "durability.killed-batch"
            case .leavesALock: "durability.killed-usable"
            }
        }
    }

    /// An error that says more than it may.
    struct Talkative: Error, CustomStringConvertible {
        var description = "The value could not be written."
        var value: Data?
    }

    let medium: Medium
    private let fault: Fault?
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)
    private let state = Mutex(State())

    private struct State {
        /// Changes that are not in the medium, and are read nevertheless.
        var overlay: [String: Data?] = [:]
        /// Changes that were refused, and are written at the next opportunity.
        var refused: [String: Data?] = [:]
        var isBroken = false
    }

    init(_ medium: Medium, _ fault: Fault?) {
        (self.medium, self.fault) = (medium, fault)
        if fault == .opensUnreadableAsEmpty && !medium.isReadable { state.withLock { $0.isBroken = true } }
    }

    var feed: SettingsStoreFeed? { ownFeed }

    private func read(_ state: State) throws -> [String: Data] {
        if fault == .opensUnreadableAsEmpty && state.isBroken { return [:] }
        if fault == .answersNilIfUnreadable && !medium.isReadable { return [:] }
        if fault == .overwritesWhatItCannotRead && !medium.isReadable { return [:] }
        return try medium.read().merging(state.overlay.compactMapValues { $0 }) { $1 }
            .filter { state.overlay[$0.key] != .some(nil) }
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        try state.withLock { state in
            if fault == .overwritesWhatItCannotRead { return try medium.read()[key.name] }
            return try read(state)[key.name]
        }
    }

    func keys() throws -> [String] { try state.withLock { Array(try read($0).keys) } }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        _ = try apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func removeAll() throws {
        let names = try keys().sorted()
        if fault == .removesOneAndThrows && !medium.isWritable {
            state.withLock { $0.overlay[names[0]] = .some(nil) }
        }
        let writes = names.map { name in
            SettingsStoreBatch.Entry(key: .init(name, scope: .custom(id: "conformance")), data: nil)
        }
        _ = try apply(SettingsStoreBatch(writes: writes))
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        defer { ownFeed.flush() }
        return try state.withLock { state in
            let old = try read(state)
            guard batch.expectations.allSatisfy({ old[$0.key.name] == $0.data }) else { return false }
            if batch.writes.isEmpty && fault != .writesToAnswer { return true }
            var new = old
            for write in batch.writes { new[write.key.name] = write.data }
            let changes = Set(batch.writes.map(\.key.name)).filter { old[$0] != new[$0] }
                .map { SettingsStoreChange(name: $0, from: old[$0], to: new[$0]) }
            if fault == .publishesAndThrows { ownFeed.publish(changes, origin: .local) }
            do {
                if state.isBroken { throw Medium.Unwritable() }
                try medium.write(new)
            } catch {
                guard try isAcknowledged(batch, &state) else { throw failure(error, batch) }
            }
            if fault != .publishesAndThrows { ownFeed.publish(changes, origin: .local) }
            return true
        }
    }

    /// What the store does with changes that it cannot write.
    private func isAcknowledged(_ batch: SettingsStoreBatch, _ state: inout State) throws -> Bool {
        let changes = batch.writes.map { ($0.key.name, $0.data) }
        switch fault {
        case .changesAndThrows where changes.count == 1, .changesHalfABatchAndThrows where changes.count > 1:
            state.overlay[changes[0].0] = .some(changes[0].1)
        case .refusesAndWritesLater: for (name, data) in changes { state.refused[name] = .some(data) }
        case .synchronizesWhatItCannotWrite: for (name, data) in changes { state.overlay[name] = .some(data) }
        case .staysBroken: state.isBroken = true
        default: break
        }
        return fault == .acknowledgesWhatItCannotWrite || fault == .synchronizesWhatItCannotWrite
    }

    private func failure(_ error: any Error, _ batch: SettingsStoreBatch) -> any Error {
        let data = batch.writes.compactMap(\.data).first
        return switch fault {
        case .quotesAValue:
            Talkative(description: "\(String(decoding: data ?? Data(), as: UTF8.self)) could not be written.")
        case .quotesAValueInBase64:
            Talkative(description: "The bytes \(data?.base64EncodedString() ?? "") could not be written.")
        case .keepsAValueInAnError: Talkative(value: data)
        default: error
        }
    }

    func synchronize() throws {
        try state.withLock { state in
            if medium.isWritable {
                for (name, data) in state.refused { try medium.write(data, named: name) }
                state.refused = [:]
            }
        }
    }

    // MARK: Its process

    /// Opens the medium again.
    static func reopened(_ store: any SettingsStore) throws -> BrokenDurableStore {
        guard let store = store as? BrokenDurableStore else { throw Medium.Unreadable() }
        if store.fault == .forgetsAtReopening { try store.medium.write([:]) }
        return BrokenDurableStore(store.medium, store.fault)
    }

    /// Writes as a process that is killed after a few changes.
    static func runAndKill(_ store: any SettingsStore) throws -> Int {
        let store = try reopened(store)
        var acknowledged = 0
        var last: [String: Data] = [:]
        var beforeLast = last
        try StoreConformance.write(to: store) { number in
            acknowledged = number
            (beforeLast, last) = (last, try store.medium.read())
            return number % 5 != 0
        }
        // What the fault makes of the end.
        switch store.fault {
        case .losesTheLastChangeOfAProcess: try store.medium.write(beforeLast)
        case .storesWhatWasNeverSet: try store.medium.write(Data("\"9".utf8), named: "killed")
        case .tearsABatchOfAProcess:
            for (name, data) in beforeLast where name.hasSuffix("/b") { try store.medium.write(data, named: name) }
        case .leavesALock: store.medium.isLocked = true
        default: break
        }
        return acknowledged
    }
}
