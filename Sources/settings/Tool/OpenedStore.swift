import SettingsCommandLine
import SettingsKit
import SettingsSQLite
import Synchronization

#if DEBUG
    /// Replaces `Synchronization.Mutex` in debug builds, which check the ranks.
    private typealias Mutex = RankedMutex
#endif

/// A store that a subcommand uses, with the problems that it has reported.
final class OpenedStore: CommandSettings {
    let place: StorePlace
    let store: any SettingsStore
    /// The failure for a missing store that counts as empty.
    let missing: CommandFailure?
    private let problems = ReportedProblems()
    /// A message about the removed file and how to restore it; nil if the file is there.
    private let removal: String?
    private let subscription: SettingsService.Subscription?

    /// Opens a store.
    ///
    /// - Parameter isForced: Whether a file that never was a property list is moved aside.
    /// - Throws: A failure if there is nothing to read, or a file must not be moved aside; the error of the store.
    init(_ place: StorePlace, for use: SettingsUse, isForced: Bool = false) throws {
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
        if use == .changing || use == .writing && !isForced { try Self.requirePropertyList(store, use) }
        removal = use == .reading || use == .readingIfPresent ? try Self.removal(of: store) : nil
        subscription = store.feed?.observeErrors { [problems] in problems.append($0) }
    }

    /// The store, for messages.
    var description: String { store.storeDescription }

    /// Whether the store has reported that values may be missing.
    var isDamaged: Bool { removal != nil || problems.all.contains { $0.code.affectsReading } }

    /// Prints the problems that the store has reported.
    func reportProblems(to streams: CommandStreams) {
        for problem in problems.nextUnreported() { streams.report("\(problem)") }
        if let removal { streams.report(removal) }
    }

    /// The value under a name.
    func value(named name: String) throws -> UntypedValue? { try data(named: name).map(UntypedValue.init) }

    func data(named name: String) throws -> Data? { try store.get(Self.key(name)) }

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

    /// A message about a property list that was removed while its log stayed.
    private static func removal(of store: any SettingsStore) throws -> String? {
        guard let store = store as? PropertyListStore else { return nil }
        guard try POSIXFileSystem().status(of: store.path, followingLink: true) == nil else { return nil }
        let finding = try PropertyListStore.findings(path: store.path)?.first { $0.kind == .listRemoved }
        return finding.map { "\($0.path): \($0.message) \($0.advice)" }
    }

    /// - Throws: A failure if the store would move another program's file aside.
    private static func requirePropertyList(_ store: any SettingsStore, _ use: SettingsUse) throws {
        guard let store = store as? PropertyListStore, store.isDamaged else { return }
        let findings = try PropertyListStore.findings(path: store.path) ?? []
        guard let problem = findings.first(where: { $0.kind == .foreignFile })?.message else { return }
        let option = CommandOption.force.name
        let force =
            use == .writing ? "; with \(option), the file is moved aside and a property list takes its place" : ""
        throw CommandFailure.failure("\(store.path): \(problem) Nothing was changed. Check the path\(force).")
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

/// The errors that a store has reported, each once.
private final class ReportedProblems: Sendable {
    private struct State {
        var all: [SettingsError] = []
        var reportedCount = 0
    }

    private let state = Mutex(State(), .leaf)

    var all: [SettingsError] { state.withLock { $0.all } }

    func append(_ problem: SettingsError) {
        state.withLock { state in
            if !state.all.contains(where: { "\($0)" == "\(problem)" }) { state.all.append(problem) }
        }
    }

    func nextUnreported() -> [SettingsError] {
        state.withLock { state in
            defer { state.reportedCount = state.all.count }
            return Array(state.all[state.reportedCount...])
        }
    }
}

extension SettingsError.Code {
    /// Whether values may be missing because of the problem.
    fileprivate var affectsReading: Bool {
        [.damaged, .journalUnavailable, .readFailed].contains(self)
            || name == "unusedFile"
    }
}
