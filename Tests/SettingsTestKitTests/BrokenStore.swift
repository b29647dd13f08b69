import Foundation
import SettingsKitCore
import SettingsTestKit

/// A medium that can become unreadable, refuse changes, and be locked by a process that is gone.
final class Medium: Sendable {
    struct Failure: Error {}

    private let contents = Box<[String: Data]>([:])
    let (isReadable, isWritable, isLocked) = (Box(true), Box(true), Box(false))

    func read() throws -> [String: Data] {
        if !isReadable.value { throw Failure() }
        return contents.value
    }

    func write(_ new: [String: Data]) throws {
        if !isWritable.value || isLocked.value { throw Failure() }
        contents.value = new
    }
}

/// A store with everything that a store can have, correct or with one fault.
final class BrokenStore: SettingsStore {
    /// Each fault with the rules that it breaks, perhaps besides others. What follows a `#` distinguishes faults.
    enum Fault: String, CaseIterable, Sendable {
        case answersForAbsentKeys = "values.absent"
        case parsesJSON = "values.exact"
        case cutsLongValues = "values.random"
        case keepsTheFirstValue = "values.replaced"
        case keepsRemovedKeys = "values.removed"
        case throwsWhenRemovingNothing = "values.removed#2"
        case takesEmptyDataForNothing = "values.empty"
        case removesEqualValues = "values.unchanged"
        case failsToSynchronize = "values.synchronized"
        case refusesSlashes = "names.any"
        case mixesSimilarNames = "names.independent"
        case distinguishesCanonicalForms = "names.equivalent"
        case ignoresCase = "names.case"
        case dropsTheLastWriteOfABatch = "batches.complete"
        case keepsTheFirstOfTwoWrites = "batches.last"
        case refusesTwoExpectations = "batches.accepted"
        case ignoresExpectations = "batches.refused threads.update"
        case acceptsWhatWritesNothing = "batches.question"
        case refusesEmptyBatches = "batches.empty"
        case listsRemovedKeys = "keys.exact"
        case keepsAKeyAtRemoveAll = "keys.remove-all"
        case makesANewFeedEachTime = "feed.same"
        case isSilent = "feed.once feed.current"
        case publishesWhatIsEqual = "feed.changes-only"
        case publishesTwice = "feed.once"
        case forgetsOldBytes = "feed.once#2"
        case publishesABatchInPieces = "feed.batch"
        case publishesRefusedBatches = "feed.refused"
        case removesAllInSilence = "feed.remove-all"
        case losesConcurrentWrites = "threads.distinct"
        case writesInHalves = "threads.whole"
        case publishesOutsideTheLock = "threads.order"
        case forgetsAtReopening = "durability.reopened"
        case losesTheLastChangeOfAProcess = "durability.killed"
        case storesWhatWasNeverSet = "durability.killed#2"
        case tearsABatchOfAProcess = "durability.killed-batch"
        case leavesALock = "durability.killed-usable"
        case answersNilIfUnreadable = "unreadable.throws unreadable.reopened"
        case answersEmptyDataIfUnreadable = "unreadable.throws#2"
        case listsNothingIfUnreadable = "unreadable.throws#3"
        case opensUnreadableAsEmpty = "unreadable.reopened unreadable.kept"
        case changesAndThrows = "unwritable.set"
        case refusesAndWritesLater = "unwritable.set#2"
        case changesHalfABatchAndThrows = "unwritable.batch"
        case writesToAnswer = "unwritable.question"
        case removesOneAndThrows = "unwritable.remove-all"
        case publishesAndThrows = "unwritable.feed"
        case acknowledgesWhatItCannotWrite = "unwritable.acknowledged"
        case synchronizesWhatItCannotWrite = "unwritable.acknowledged#2"
        case staysBroken = "unwritable.repaired"
        case quotesAValue = "errors.no-values"
        case quotesAValueInBase64 = "errors.no-values#2"
        case keepsAValueInAnError = "errors.no-values#3"

        var rules: [String] { rawValue.prefix { $0 != "#" }.split(separator: " ").map(String.init) }
    }

    /// An error that contains more than it may.
    private struct Talkative: Error, CustomStringConvertible {
        var description = "The value could not be written."
        var value: Data?
    }

    private struct State {
        /// What is read instead of the medium's contents.
        var memory: [String: Data]?
        /// What is written at the next opportunity, although it was refused.
        var refused: [String: Data]?
        var removed: Set<String> = []
        var isBroken = false
    }

    private let medium: Medium
    private let fault: Fault?
    private let ownFeed = SettingsStoreFeed()
    private let state: Mutex<State>
    private let reads = Recorder<Void>()

    init(_ medium: Medium, _ fault: Fault?) {
        (self.medium, self.fault) = (medium, fault)
        let isEmpty = fault == .opensUnreadableAsEmpty && !medium.isReadable.value
        state = Mutex(State(memory: isEmpty ? [:] : nil))
    }

    var feed: SettingsStoreFeed? { fault == .makesANewFeedEachTime ? SettingsStoreFeed() : ownFeed }

    private func contents(_ state: State) throws -> [String: Data] {
        if let memory = state.memory { return memory }
        return fault == .answersNilIfUnreadable && !medium.isReadable.value ? [:] : try medium.read()
    }

    private func name(_ key: SettingsService.StorageKey) throws -> String {
        switch fault {
        case .refusesSlashes where key.name.contains("/"): throw Medium.Failure()
        case .ignoresCase: key.name.lowercased()
        case .mixesSimilarNames: "a" + key.name.filter { !".:".contains($0) }
        case .distinguishesCanonicalForms: key.name.unicodeScalars.map { "\($0.value)" }.joined(separator: " ")
        default: key.name
        }
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        defer { reads.append(()) }
        if fault == .answersEmptyDataIfUnreadable && !medium.isReadable.value { return Data() }
        let stored = try state.withLock { try contents($0)[name(key)] }
        return stored == nil && fault == .answersForAbsentKeys ? Data() : stored
    }

    func keys() throws -> [String] {
        if fault == .listsNothingIfUnreadable && !medium.isReadable.value { return [] }
        return try state.withLock { state in
            let names = Set(try contents(state).keys)
            return Array(fault == .listsRemovedKeys ? names.union(state.removed) : names)
        }
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        // Without the lock, so that others write between the reading and the writing, or read between the halves.
        if fault == .losesConcurrentWrites {
            var all = try medium.read()
            all[key.name] = data
            usleep(100)
            return try medium.write(all)
        }
        if fault == .writesInHalves, let data, case var all = try medium.read(), let old = all[key.name], old != data {
            all[key.name] = data.prefix(data.count / 2) + old.dropFirst(data.count / 2)
            try medium.write(all)
            // Until others have read, so that they find a mixture also on a busy machine.
            let count = reads.count
            for _ in 0..<1_000 where reads.count < count + 2 { usleep(100) }
        }
        _ = try apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func removeAll() throws {
        let names = try keys().sorted()
        if fault == .removesAllInSilence { return try medium.write([:]) }
        if fault == .removesOneAndThrows && !medium.isWritable.value {
            try state.withLock { $0.memory = try medium.read().filter { $0.key != names[0] } }
        }
        let writes = names.dropFirst(fault == .keepsAKeyAtRemoveAll ? 1 : 0).map { name in
            SettingsStoreBatch.Entry(key: .init(name, scope: .custom(id: "conformance")), data: nil)
        }
        _ = try apply(SettingsStoreBatch(writes: writes))
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        switch fault {
        case .refusesEmptyBatches where batch.writes.isEmpty && batch.expectations.isEmpty: return false
        case .acceptsWhatWritesNothing where batch.writes.isEmpty: return true
        case .refusesTwoExpectations where batch.expectations.count > 1: return false
        // So that others write between the reading and the writing of an update.
        case .ignoresExpectations: usleep(20)
        default: break
        }
        defer { ownFeed.flush() }
        let made = try state.withLock { state -> [SettingsStoreChange]? in
            let old = try contents(state)
            let isExpected = try batch.expectations.allSatisfy { try old[name($0.key)] == $0.data }
            if batch.writes.isEmpty && fault != .writesToAnswer { return isExpected ? [] : nil }
            var new = old
            for write in writes(of: batch) {
                new[try name(write.key)] = try stored(write.data, over: new[name(write.key)])
            }
            let changes = changes(by: batch, from: old, to: new)
            guard isExpected || fault == .ignoresExpectations else {
                if fault == .publishesRefusedBatches { publish(changes) }
                return nil
            }
            if fault == .publishesAndThrows { publish(changes) }
            state.removed.formUnion(changes.filter { $0.newData == nil }.map(\.name))
            try write(new, of: batch, over: old, &state)
            if fault != .publishesOutsideTheLock && fault != .publishesAndThrows { publish(changes) }
            return changes
        }
        if fault == .publishesOutsideTheLock {
            usleep(.random(in: 0...100))
            publish(made ?? [])
        }
        return made != nil
    }

    private func writes(of batch: SettingsStoreBatch) -> [SettingsStoreBatch.Entry] {
        switch fault {
        case .dropsTheLastWriteOfABatch where batch.writes.count > 1: batch.writes.dropLast()
        case .keepsTheFirstOfTwoWrites: batch.writes.reversed()
        default: batch.writes
        }
    }

    /// What is stored when bytes are set over others.
    private func stored(_ data: Data?, over old: Data?) throws -> Data? {
        guard let data else {
            if fault == .throwsWhenRemovingNothing && old == nil { throw Medium.Failure() }
            return fault == .keepsRemovedKeys ? old : nil
        }
        switch fault {
        case .takesEmptyDataForNothing where data.isEmpty: return nil
        case .parsesJSON:
            let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            return try object.map { try JSONSerialization.data(withJSONObject: $0, options: .fragmentsAllowed) } ?? data
        case .cutsLongValues: return data.prefix(40)
        case .keepsTheFirstValue: return old ?? data
        case .removesEqualValues where data == old: return nil
        default: return data
        }
    }

    private func changes(by batch: SettingsStoreBatch, from old: [String: Data], to new: [String: Data])
        -> [SettingsStoreChange]
    {
        Set(batch.writes.map(\.key.name)).filter { old[$0] != new[$0] || fault == .publishesWhatIsEqual }.map {
            SettingsStoreChange(name: $0, from: fault == .forgetsOldBytes ? nil : old[$0], to: new[$0])
        }
    }

    private func publish(_ changes: [SettingsStoreChange]) {
        switch fault {
        case .isSilent: break
        case .publishesABatchInPieces: for change in changes { ownFeed.publish([change], origin: .local) }
        default: for _ in 0..<(fault == .publishesTwice ? 2 : 1) { ownFeed.publish(changes, origin: .local) }
        }
    }

    private func write(
        _ new: [String: Data], of batch: SettingsStoreBatch, over old: [String: Data], _ state: inout State
    ) throws {
        if !state.isBroken && (try? medium.write(new)) != nil { return }
        let data = batch.writes.compactMap(\.data).first ?? Data()
        switch fault {
        case .acknowledgesWhatItCannotWrite: return
        case .synchronizesWhatItCannotWrite:
            state.memory = new
            return
        case .changesAndThrows where batch.writes.count == 1: state.memory = new
        case .changesHalfABatchAndThrows where batch.writes.count > 1:
            state.memory = old.merging([batch.writes[0].key.name: data]) { $1 }
        case .refusesAndWritesLater: state.refused = new
        case .staysBroken: state.isBroken = true
        case .quotesAValue: throw Talkative(description: "\(String(decoding: data, as: UTF8.self)) was not written.")
        case .quotesAValueInBase64: throw Talkative(description: "\(data.base64EncodedString()) was not written.")
        case .keepsAValueInAnError: throw Talkative(value: data)
        default: break
        }
        throw Medium.Failure()
    }

    func synchronize() throws {
        if fault == .failsToSynchronize { throw Medium.Failure() }
        try state.withLock { state in
            if let refused = state.refused, medium.isWritable.value { try medium.write(refused) }
        }
    }
}

extension StoreConformance {
    /// The suite for a store with a fault, or a correct one, with each closure of which the name is in a list.
    init(
        _ fault: BrokenStore.Fault?, closures: Set<String> = ["reopen", "unreadable", "unwritable", "killed"],
        breaks: Bool = true
    ) {
        let media = Recorder<(store: BrokenStore, medium: Medium)>()
        @Sendable func medium(_ store: any SettingsStore) -> Medium? {
            media.all.first { $0.store === store as AnyObject }?.medium
        }
        @Sendable func open(_ medium: Medium) -> BrokenStore {
            let store = BrokenStore(medium, fault)
            media.append((store, medium))
            return store
        }
        @Sendable func breaking(_ store: any SettingsStore, _ keyPath: KeyPath<Medium, Box<Bool>> & Sendable)
            -> @Sendable () -> Void
        {
            let state = medium(store)?[keyPath: keyPath]
            state?.value = !breaks
            return { state?.value = true }
        }
        let unreadable: Break = { breaking($0, \.isReadable) }
        let unwritable: Break = { breaking($0, \.isWritable) }
        let reopen: Reopen = { store in
            let medium = medium(store) ?? Medium()
            if fault == .forgetsAtReopening { try medium.write([:]) }
            return open(medium)
        }
        let killed: KillWriter = { store in
            guard let medium = medium(store) else { return 0 }
            return try Self.writeAndDie(open(medium), medium, fault)
        }
        self.init(
            reopen: closures.contains("reopen") ? reopen : nil,
            unreadable: closures.contains("unreadable") ? unreadable : nil,
            unwritable: closures.contains("unwritable") ? unwritable : nil,
            killed: closures.contains("killed") ? killed : nil
        ) { open(Medium()) }
    }

    /// Writes as a process that is killed after a few changes, and leaves what the fault makes of them.
    private static func writeAndDie(_ store: BrokenStore, _ medium: Medium, _ fault: BrokenStore.Fault?) throws -> Int {
        var (acknowledged, beforeLast, last) = (0, [String: Data](), [String: Data]())
        try write(to: store) { number in
            acknowledged = number
            (beforeLast, last) = (last, try medium.read())
            return number % 5 != 0
        }
        switch fault {
        case .losesTheLastChangeOfAProcess: try medium.write(beforeLast)
        case .storesWhatWasNeverSet: try medium.write(last.merging(["killed": Data("\"9".utf8)]) { $1 })
        case .tearsABatchOfAProcess: try medium.write(last.merging(beforeLast.filter { $0.key.hasSuffix("/b") }) { $1 })
        case .leavesALock: medium.isLocked.value = true
        default: break
        }
        return acknowledged
    }
}
