import SettingsCommandLine
import SettingsKit
import SettingsSQLite
import Synchronization

#if DEBUG
    /// Replaces `Synchronization.Mutex` in debug builds, which count the locks that are held.
    private typealias Mutex = RankedMutex
#endif

/// A store that a subcommand uses, with the problems that it has reported.
final class OpenedStore {
    /// The errors that the store has reported, and the number of those that were printed.
    private final class Problems: Sendable {
        let list = Mutex<(all: [SettingsError], printedCount: Int)>(([], 0), .leaf)
    }

    let place: StorePlace
    let store: any SettingsStore
    /// The failure for a missing store that counts as empty.
    let missing: CommandFailure?
    private let problems = Problems()
    private let subscription: SettingsService.Subscription?

    /// Opens a store.
    ///
    /// - Throws: A failure if there is nothing to read, or a file is another program's; the error of the store.
    init(_ place: StorePlace, for use: SettingsUse) throws {
        self.place = place
        if case .shared(let path, nil) = place, use == .writing || use == .changing {
            throw CommandFailure.usage(
                "Without the local state of a program, the tool only reads a shared directory. Name it: "
                    + "shared:\(path)?state=DIR.")
        }
        if use == .changing { _ = try Self.open(place, for: .reading) }
        do {
            store = try Self.open(place, for: use == .readingIfPresent ? .reading : use)
            missing = nil
        } catch let failure as CommandFailure where failure.isMissingStore && use == .readingIfPresent {
            store = MemoryStore()
            missing = failure
        }
        if use == .changing || use == .writing { try Self.requirePropertyList(store) }
        subscription = store.feed?.observeErrors { [problems] problem in
            problems.list.withLock { problems in
                if !problems.all.contains(where: { "\($0)" == "\(problem)" }) { problems.all.append(problem) }
            }
        }
    }

    /// The store, for messages.
    var description: String { store.storeDescription }

    /// Whether the store has reported that values may be missing.
    var isDamaged: Bool { problems.list.withLock { $0.all.contains { $0.code.affectsReading } } }

    /// Prints the problems that the store has reported since the last call.
    func reportProblems(to streams: CommandStreams) {
        let new = problems.list.withLock { problems in
            defer { problems.printedCount = problems.all.count }
            return problems.all[problems.printedCount...]
        }
        for problem in new { streams.report("\(problem)") }
    }

    /// The value under a name.
    func value(named name: String) throws -> UntypedValue? { try data(named: name).map(UntypedValue.init) }

    func data(named name: String) throws -> Data? { try store.get(Self.key(name)) }

    /// All settings of the store.
    func contents() throws -> StoredSettings {
        let list = store as? PropertyListStore
        var contents = StoredSettings(types: list.map { _ in [:] })
        for name in try store.keys() {
            // A setting may have been removed meanwhile.
            contents.values[name] = try data(named: name)
            if let value = list?.nativeValue(of: name), value.hasKindOfItsOwn { contents.types?[name] = value }
        }
        return contents
    }

    /// The names under which something is stored, sorted.
    func names() throws -> [String] { try store.keys().sorted() }

    static func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }

    // MARK: Opening

    private static func open(_ place: StorePlace, for use: SettingsUse) throws -> any SettingsStore {
        let isReading = use == .reading
        switch place {
        case .app(let name):
            let store = try PropertyListStore(name: name, access: isReading ? .readOnly : .readWrite)
            if isReading && !store.hasFiles {
                throw missing("The program \(quoted(name)) has no settings here", store.path)
            }
            return store
        case .file(let path):
            let store = try PropertyListStore(path: absolute(path), access: isReading ? .readOnly : .readWrite)
            if isReading && !store.hasFiles { throw missing("There is no property list", store.path) }
            return store
        case .shared(let path, let state):
            // A mistyped path would create another shared directory. The tool may create the local state.
            try requireDirectories([path] + (isReading ? state.map { [$0] } ?? [] : []))
            let store = try DirectoryStore(
                at: URL(filePath: path, directoryHint: .isDirectory),
                state: state.map { URL(filePath: $0, directoryHint: .isDirectory) },
                access: isReading ? .readOnly : .readWrite)
            // Opening waits for a second at most.
            if isReading { try store.synchronize() }
            return store
        case .sqlite(let path, let table):
            if isReading, try POSIXFileSystem().status(of: path, followingLink: true) == nil {
                throw missing("There is no database", path)
            }
            return try SQLiteStore(
                at: URL(filePath: path, directoryHint: .notDirectory), table: table,
                access: isReading ? .readOnly : .readWrite)
        case .etcd(let cluster): return try cluster.open(isReading ? .readOnly : .readWrite)
        }
    }

    /// - Throws: A failure if the store would move another program's file aside.
    private static func requirePropertyList(_ store: any SettingsStore) throws {
        guard let store = store as? PropertyListStore, store.isDamaged else { return }
        let findings = try PropertyListStore.findings(path: store.path) ?? []
        guard let problem = findings.first(where: { $0.kind == .foreignFile })?.message else { return }
        throw CommandFailure.failure("\(store.path): \(problem) Nothing was changed. Check the path.")
    }

    /// Returns an absolute path. Faster than a URL, whose library has to be loaded first.
    private static func absolute(_ path: String) throws -> String {
        if path.hasPrefix("/") { return path }
        guard let directory = getcwd(nil, 0) else {
            throw CommandFailure.failure("Cannot determine the current directory. Give an absolute path.")
        }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    private static func requireDirectories(_ paths: [String]) throws {
        for path in paths {
            switch try POSIXFileSystem().status(of: path, followingLink: true)?.kind {
            case .directory: continue
            case nil:
                throw CommandFailure(
                    code: .failure,
                    message:
                        "There is no directory: \(path) is missing. Is it mounted? To share a new one, create it first.",
                    isMissingStore: true)
            default: throw CommandFailure.failure("\(path) is not a directory. Check the path.")
            }
        }
    }

    private static func missing(_ what: String, _ path: String) -> CommandFailure {
        CommandFailure(
            code: .failure, message: "\(what): \(path) is missing. Check the name; settings set creates it.",
            isMissingStore: true)
    }
}

extension SettingsError.Code {
    /// Whether values may be missing because of the problem.
    fileprivate var affectsReading: Bool {
        [.damaged, .logUnavailable, .readFailed].contains(self)
            || name == "unusedFile"
    }
}
