import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A property list of the local state. A damaged one is reported and kept aside, like that of `.defaults`.
struct StateList: Sendable {
    /// Called with each problem, while the state may be locked.
    typealias Report = @Sendable (SettingsError) -> Void

    private let list: PropertyListStore
    private let report: Report
    /// Lasts as long as the list.
    private let problems: SettingsService.Subscription?

    /// - Parameter patience: The time to wait for another program that uses the file.
    init(
        _ path: String, _ fileSystem: any FileSystem,
        patience: Duration = PropertyListStore.defaultPatience, report: @escaping Report
    ) throws {
        self.report = report
        list = try PropertyListStore(path: path, fileSystem: fileSystem, patience: patience)
        let isDamaged = Mutex(false, .leaf)
        problems = list.feed?.observeErrors { error in
            if error.code == .damaged { isDamaged.withLock { $0 = true } }
            report(error)
        }
        // Rewritten now, without waiting for the next change.
        if isDamaged.withLock({ $0 }) { try list.rewrite() }
    }

    var names: [String] { list.keys() }

    subscript(name: String) -> Data? { list.get(Self.key(name)) }

    /// The owner named in the file; nil if there is none.
    var owner: StateOwner? { self[EtcdNames.owner].flatMap { try? JSONDecoder().decode(StateOwner.self, from: $0) } }

    /// Stores or removes bytes under names, and stores another owner, as one change.
    ///
    /// - Parameter expectations: The bytes that must be stored now.
    /// - Returns: Whether they are, and the change was made.
    @discardableResult
    func apply(
        _ writes: [String: Data?], owner: StateOwner? = nil, expecting expectations: [String: Data?] = [:]
    ) throws -> Bool {
        var entries = writes.map { SettingsStoreBatch.Entry(key: Self.key($0.key), data: $0.value) }
        if let owner, owner != self.owner {
            entries.append(.init(key: Self.key(EtcdNames.owner), data: try JSONEncoder.stable().encode(owner)))
        }
        if entries.isEmpty { return true }
        return try list.apply(
            SettingsStoreBatch(
                writes: entries,
                expectations: expectations.map { .init(key: Self.key($0.key), data: $0.value) }))
    }

    /// Keeps a copy of the file aside, because a part of it cannot be read, and reports it.
    func keepDamaged(_ problem: any ValueFreeError) throws {
        try list.keepAsideAsDamaged()
        report(SettingsError(.damaged, store: list.storeDescription, underlying: problem).keepingFilesAside)
    }

    /// Reads the changes of other programs.
    func refresh(waiting patience: Duration) throws { try list.refresh(waiting: patience) }

    func synchronize() throws { try list.synchronize() }

    private static func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }
}
