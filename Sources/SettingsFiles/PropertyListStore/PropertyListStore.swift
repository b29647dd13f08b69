import SettingsCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Settings in an ordinary property-list file that people and tools can read and edit.
///
/// JSON values (what settings are stored as unless they name another transformer) stand in the file as native property
/// list values, everything else as data. A file that an app, `UserDefaults`, a tool or a person has written is read, XML
/// or binary; XML is written. The file is readable by its owner only, and replaced whole: whoever reads it at any moment
/// finds a complete property list. A symbolic link to it stays one.
///
/// Values are in memory; a change is in the file within a fraction of a second, after ``synchronize()``, and at the
/// orderly exit of the process.
///
/// A file that cannot be read is never taken for an empty one. When it is damaged, its intact part is used, and before it
/// is replaced it is kept beside the new one, as `NAME.damaged-DATE`. When it cannot be opened, neither can the store.
/// When it cannot be written, values stay in memory, the problem is diagnosed, and writing is tried again.
///
/// All functions may be called from any thread. `get` and `set` take constant time and do not touch the file.
public final class PropertyListStore: SettingsStore {
    private struct State {
        var contents: PropertyListContents
        /// The file as it was when it was last read or written; nil while there was none.
        var fileStatus: FileStatus?
        /// Whether the file is not a property list any more, so that it must be kept aside when it is replaced.
        var isFileDamaged: Bool
        /// Whether what dead processes have left behind was looked for.
        var hasCleanedUp = false
    }

    /// A temporary file that was not written for an hour is nobody's work any more.
    private static let staleAge: Int64 = 3_600

    /// Larger files are not read: no preferences file has this size.
    static let fileSizeLimit = 1 << 30

    /// The path of the property list.
    public let path: String

    private let file: WholeFile
    private let state: Mutex<State>
    /// Held while the file is read or written, never together with foreign code.
    private let fileAccess = Mutex(())
    private let ownFeed = SettingsStoreFeed()
    private let writer: Mutex<WriteBehind?> = Mutex(nil)

    /// Opens the property list at a file URL; it need not be there yet, and neither need its directory.
    ///
    /// - Throws: ``SettingsError`` with the code `storeUnavailable` when there is something at the URL that cannot be read
    ///   (no permission, a directory, an I/O error). A damaged file is no error: what is intact is used, and the damage is
    ///   told to the diagnostics of the service that uses the store.
    public convenience init(url: URL) throws {
        guard url.isFileURL else {
            throw SettingsError(.storeUnavailable, store: "PropertyListStore", underlying: NotAFileURL())
        }
        try self.init(path: url.path, fileSystem: POSIXFileSystem())
    }

    /// - Parameter writingDelay: How long changes are gathered before they are written in the background; a test that
    ///   counts calls has it be long.
    package init(
        path: String, fileSystem: any FileSystem, writingDelay: Duration = .milliseconds(100)
    ) throws {
        guard !path.utf8.contains(0) else {
            throw SettingsError(.storeUnavailable, store: "PropertyListStore", underlying: NulInPath())
        }
        self.path = path
        file = WholeFile(path: path, fileSystem: fileSystem)
        let opened: (contents: PropertyListContents, status: FileStatus?, damage: PropertyListError?)
        do {
            opened = try Self.open(file)
        } catch {
            throw SettingsError(.storeUnavailable, store: Self.description(of: path), underlying: error)
        }
        state = Mutex(
            State(contents: opened.contents, fileStatus: opened.status, isFileDamaged: opened.damage != nil))
        if let damage = opened.damage { reportDamage(damage) }
        let background = WriteBehind(label: "SettingsKit.PropertyListStore", delay: writingDelay) { [weak self] in
            try self?.synchronize()
        } report: { [weak self] error in
            guard let self else { return }
            ownFeed.report(.wrap(error, as: .notSaved, store: storeDescription))
        }
        writer.withLock { $0 = background }
    }

    deinit {
        do {
            try writeBack()
        } catch {
            ownFeed.report(error)
        }
    }

    private static func open(
        _ file: WholeFile
    ) throws -> (contents: PropertyListContents, status: FileStatus?, damage: PropertyListError?) {
        guard let read = try file.read(limit: fileSizeLimit) else { return (PropertyListContents(), nil, nil) }
        switch parse(read.bytes) {
        case .success(let members):
            return (PropertyListContents(members), read.status, nil)
        case .failure(let damage):
            return (PropertyListContents(PropertyListReader.recover(read.bytes)), read.status, damage)
        }
    }

    private static func parse(_ bytes: Data) -> Result<[PropertyListMember], PropertyListError> {
        do throws(PropertyListError) {
            return .success(try PropertyListReader.readDictionary(bytes))
        } catch {
            return .failure(error)
        }
    }

    // MARK: The store's contract

    /// Announces every change.
    public var feed: SettingsStoreFeed? { ownFeed }

    /// "PropertyListStore" and the path.
    public var storeDescription: String { Self.description(of: path) }

    private static func description(of path: String) -> String { "PropertyListStore at \(path)" }

    /// The bytes that stand for the value under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? {
        state.withLock { $0.contents.data(named: key.name) }
    }

    /// Stores bytes under a key, or removes it; in memory at once, in the file soon. Never throws.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) {
        change { contents in
            contents.set(data, named: key.name).map { [$0] } ?? []
        }
    }

    /// Carries out a batch if its expectations hold; the file gets all of it at once. Never throws.
    public func apply(_ batch: SettingsStoreBatch) -> Bool {
        change { contents in
            for expectation in batch.expectations
            where contents.data(named: expectation.key.name) != expectation.data {
                return nil
            }
            var changes: [String: SettingsStoreChange] = [:]
            for write in batch.writes {
                guard let change = contents.set(write.data, named: write.key.name) else { continue }
                let first = changes[change.name] ?? change
                changes[change.name] = .init(name: change.name, from: first.oldData, to: change.newData)
            }
            return Array(changes.values)
        }
    }

    /// The names in the property list, except for those that no setting can have.
    public func keys() -> [String] {
        state.withLock { $0.contents.names }.filter(SettingsService.StorageKey.isValid)
    }

    /// Removes everything, also what other programs have put into the file.
    public func removeAll() {
        change { contents in
            contents.names.compactMap { contents.set(nil, named: $0) }
        }
    }

    /// Brings the file up to date, takes over what others have written into it, and returns when it survives a power
    /// failure.
    ///
    /// - Throws: ``SettingsError`` with the code `notSaved`; the values stay in memory, and the old file in its place.
    public func synchronize() throws {
        defer { ownFeed.flush() }
        try writeBack()
    }

    /// Changes the contents in memory, tells of it, and has the file written soon.
    ///
    /// - Parameter body: Makes the changes and answers them; nil if it refuses to.
    /// - Returns: false if `body` has refused.
    @discardableResult
    private func change(_ body: (inout PropertyListContents) -> [SettingsStoreChange]?) -> Bool {
        let changes = state.withLock { state in
            let changes = body(&state.contents)
            ownFeed.publish(changes ?? [], origin: .local)
            return changes
        }
        ownFeed.flush()
        if changes?.isEmpty == false { writer.withLock { $0 }?.schedule() }
        return changes != nil
    }

    // MARK: The file

    /// Brings the file and the memory into agreement.
    private func writeBack() throws(SettingsError) {
        var damage: PropertyListError?
        // Outside of the lock, because whoever is told is foreign.
        defer { if let damage { reportDamage(damage) } }
        do {
            try fileAccess.withLock { _ in
                damage = try adoptOutsideEdit()
                guard let (contents, isDamaged) = toWrite() else { return }
                let bytes = try XMLPropertyListWriter.write(contents.members())
                let status = try file.replace(with: bytes, keepAside: isDamaged ? asideName() : nil)
                state.withLock { state in
                    state.fileStatus = status
                    state.isFileDamaged = false
                    state.contents.didWrite(through: contents.changeNumber)
                }
                cleanUp()
            }
        } catch {
            throw .wrap(error, as: .notSaved, store: storeDescription)
        }
    }

    /// Removes temporary files that dead processes have left; once in the life of the store, after its first write.
    private func cleanUp() {
        let isFirst = state.withLock { state in
            defer { state.hasCleanedUp = true }
            return !state.hasCleanedUp
        }
        guard isFirst else { return }
        do throws(SystemError) {
            try file.removeTemporaries(from: Int64(Date().timeIntervalSince1970) - Self.staleAge)
        } catch {
            // What is left behind harms nobody, and the next process tries again; what was to be saved is saved.
        }
    }

    private func toWrite() -> (contents: PropertyListContents, isDamaged: Bool)? {
        state.withLock { state in
            let isGone = state.fileStatus == nil && !state.contents.isEmpty
            guard state.contents.hasUnwrittenChanges || isGone else { return nil }
            return (state.contents, state.isFileDamaged)
        }
    }

    /// Takes over what somebody else has written into the file since it was last read or written here.
    ///
    /// - Returns: what is wrong with the file, if it is not a property list any more.
    private func adoptOutsideEdit() throws -> PropertyListError? {
        let known = state.withLock { $0.fileStatus }
        guard try file.status() != known else { return nil }
        guard let read = try file.read(limit: Self.fileSizeLimit) else {
            // Somebody has removed it. What is in memory stays, and makes a new file.
            state.withLock { $0.fileStatus = nil }
            return nil
        }
        switch Self.parse(read.bytes) {
        case .success(let members):
            state.withLock { state in
                state.fileStatus = read.status
                state.isFileDamaged = false
                ownFeed.publish(state.contents.adopt(members), origin: .external)
            }
            return nil
        case .failure(let damage):
            state.withLock { state in
                state.fileStatus = read.status
                state.isFileDamaged = true
            }
            return damage
        }
    }

    private func reportDamage(_ damage: PropertyListError) {
        ownFeed.report(SettingsError(.damaged, store: storeDescription, underlying: damage))
    }

    /// Under which name a damaged file is kept: dated, and told from others of the same second.
    private func asideName() -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? "Settings.plist"
        let random = String(UInt32.random(in: .min ... .max), radix: 36)
        return "\(name).damaged-\(Self.timestamp(Date()))-\(random)"
    }

    /// The date as it may stand in a file's name, 2026-11-21T083658Z.
    private static func timestamp(_ date: Date) -> String {
        let text = date.formatted(.iso8601)
        return text.filter { $0 != ":" }
    }
}

private struct NulInPath: ValueFreeError {
    var description: String { "The path contains a NUL character." }
}

private struct NotAFileURL: ValueFreeError {
    var description: String { "The URL is not a file URL." }
}
