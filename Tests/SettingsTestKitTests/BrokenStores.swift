import Foundation
import SettingsKitCore

/// A correct store of two functions, for broken ones to spoil.
final class PlainStore: SettingsStore {
    private let contents = Mutex<[String: Data]>([:])

    func get(_ key: SettingsService.StorageKey) -> Data? { contents.withLock { $0[key.name] } }
    func set(_ key: SettingsService.StorageKey, to data: Data?) { contents.withLock { $0[key.name] = data } }

    /// All of it at once.
    var all: [String: Data] {
        get { contents.withLock { $0 } }
        set { contents.withLock { $0 = newValue } }
    }
}

/// A store that does one thing wrong.
final class BrokenStore: SettingsStore {
    enum Fault: String, CaseIterable, Sendable {
        case answersForAbsentKeys
        case parsesJSON
        case cutsLongValues
        case keepsTheFirstValue
        case keepsRemovedKeys
        case throwsWhenRemovingNothing
        case takesEmptyDataForNothing
        case removesEqualValues
        case failsToSynchronize
        case refusesSlashes
        case mixesSimilarNames
        case distinguishesCanonicalForms
        case ignoresCase
        case dropsTheLastWriteOfABatch
        case keepsTheFirstOfTwoWrites
        case refusesTwoExpectations
        case ignoresExpectations
        case refusesEmptyBatches
        case acceptsWhatWritesNothing
        case listsRemovedKeys
        case keepsAKeyAtRemoveAll
        case losesConcurrentWrites
        case writesInHalves

        /// The rule that it breaks, perhaps besides others.
        var rule: String {
            switch self {
            case .answersForAbsentKeys: "values.absent"
            case .parsesJSON: "values.exact"
            case .cutsLongValues: "values.random"
            case .keepsTheFirstValue: "values.replaced"
            case .keepsRemovedKeys, .throwsWhenRemovingNothing: "values.removed"
            case .takesEmptyDataForNothing: "values.empty"
            case .removesEqualValues: "values.unchanged"
            case .failsToSynchronize: "values.synchronized"
            case .refusesSlashes: "names.any"
            case .mixesSimilarNames: "names.independent"
            case .distinguishesCanonicalForms: "names.equivalent"
            case .ignoresCase: "names.case"
            case .dropsTheLastWriteOfABatch: "batches.complete"
            case .keepsTheFirstOfTwoWrites: "batches.last"
            case .refusesTwoExpectations: "batches.accepted"
            case .ignoresExpectations: "batches.refused"
            case .refusesEmptyBatches: "batches.empty"
            case .acceptsWhatWritesNothing: "batches.question"
            case .listsRemovedKeys: "keys.exact"
            case .keepsAKeyAtRemoveAll: "keys.remove-all"
            case .losesConcurrentWrites: "threads.distinct"
            case .writesInHalves: "threads.whole"
            }
        }
    }

    struct Refusal: Error {}

    let fault: Fault
    private let plain = PlainStore()
    private let removed = Mutex<Set<String>>([])

    /// How many threads are in a call.
    private let callCount = Atomic(0)
    /// How many calls are about to write back what they have read.
    private let setCount = Atomic(0)
    /// What threads other than the writing one read: a mixture of the last two values that differ.
    private let halves = Mutex<[String: (writer: pthread_t, data: Data)]>([:])

    init(_ fault: Fault) { self.fault = fault }

    /// Waits until another thread has raised a count; only for a moment if no other thread is in a call.
    private func wait(for count: borrowing Atomic<Int>, toExceed value: Int) {
        let start = ContinuousClock.now
        while count.load(ordering: .acquiring) <= value {
            let isAlone = callCount.load(ordering: .acquiring) == 1
            if ContinuousClock.now > start + (isAlone ? .milliseconds(2) : .seconds(1)) { return }
            usleep(100)
        }
    }

    private func changed(_ key: SettingsService.StorageKey) throws -> SettingsService.StorageKey {
        switch fault {
        case .refusesSlashes where key.name.contains("/"): throw Refusal()
        case .ignoresCase: .init(key.name.lowercased(), scope: key.scope)
        case .mixesSimilarNames: .init("a" + key.name.filter { !".:".contains($0) }, scope: key.scope)
        case .distinguishesCanonicalForms:
            .init(key.name.unicodeScalars.map { "\($0.value)" }.joined(separator: " "), scope: key.scope)
        default: key
        }
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        callCount.add(1, ordering: .acquiringAndReleasing)
        defer { callCount.subtract(1, ordering: .acquiringAndReleasing) }
        let key = try changed(key)
        let half = halves.withLock { $0[key.name] }
        if let half, pthread_equal(half.writer, pthread_self()) == 0 { return half.data }
        let data = plain.get(key)
        return data == nil && fault == .answersForAbsentKeys ? Data() : data
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        callCount.add(1, ordering: .acquiringAndReleasing)
        defer { callCount.subtract(1, ordering: .acquiringAndReleasing) }
        let key = try changed(key)
        let old = plain.get(key)
        if data == nil { removed.withLock { _ = $0.insert(key.name) } }
        switch (fault, data) {
        case (.takesEmptyDataForNothing, let data?) where data.isEmpty: plain.set(key, to: nil)
        case (.parsesJSON, let data?):
            let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            let spelledAnew = try object.map {
                try JSONSerialization.data(withJSONObject: $0, options: [.fragmentsAllowed, .sortedKeys])
            }
            plain.set(key, to: spelledAnew ?? data)
        case (.cutsLongValues, let data?): plain.set(key, to: data.prefix(40))
        case (.keepsTheFirstValue, .some) where old != nil: break
        case (.removesEqualValues, let data?) where data == old: plain.set(key, to: nil)
        case (.keepsRemovedKeys, nil): break
        case (.throwsWhenRemovingNothing, nil) where old == nil: throw Refusal()
        case (.losesConcurrentWrites, _):
            var all = plain.all
            all[key.name] = data
            wait(for: setCount, toExceed: setCount.add(1, ordering: .acquiringAndReleasing).newValue)
            plain.all = all
        case (.writesInHalves, let data?):
            let half = data.prefix(data.count / 2) + (old ?? Data()).dropFirst(data.count / 2)
            if old != data { halves.withLock { $0[key.name] = (pthread_self(), half) } }
            plain.set(key, to: data)
        default: plain.set(key, to: data)
        }
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if fault == .refusesEmptyBatches && batch.writes.isEmpty { return false }
        if fault == .acceptsWhatWritesNothing && batch.writes.isEmpty { return true }
        if fault == .refusesTwoExpectations && batch.expectations.count > 1 { return false }
        for expectation in batch.expectations where fault != .ignoresExpectations {
            if try get(expectation.key) != expectation.data { return false }
        }
        let writes = fault == .dropsTheLastWriteOfABatch ? batch.writes.dropLast() : batch.writes[...]
        let ordered = fault == .keepsTheFirstOfTwoWrites ? writes.reversed() : Array(writes)
        for write in ordered { try set(write.key, to: write.data) }
        return true
    }

    func keys() -> [String] {
        let names = Set(plain.all.keys)
        return Array(fault == .listsRemovedKeys ? names.union(removed.withLock { $0 }) : names)
    }

    func removeAll() {
        let kept = fault == .keepsAKeyAtRemoveAll ? plain.all.keys.min() : nil
        plain.all = plain.all.filter { $0.key == kept }
    }

    func synchronize() throws {
        if fault == .failsToSynchronize { throw Refusal() }
    }
}
