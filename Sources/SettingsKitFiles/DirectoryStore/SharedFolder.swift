import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The shared directory, with what was read of its files.
///
/// If two threads read the directory at the same time, both do the same work, which is harmless because merging is idempotent.
final class SharedFolder: Sendable {
    private struct Table {
        var files: [String: SeenFile] = [:]
        /// The number of files, if some of them are not read.
        var surplus: Int?
        var downloads = DownloadRequests()
        /// How often the state had loaded another log when the files were read.
        var loadCount = 0
    }

    let path: String
    private let fileSystem: any FileSystem
    private let isReadOnly: Bool
    private let table = Mutex(Table(), .leaf)
    /// Whether the directory may be created with its parents, because the state is new.
    private let isNew: Atomic<Bool>

    init(at path: String, isNew: Bool, isReadOnly: Bool, in fileSystem: any FileSystem) {
        (self.path, self.isReadOnly, self.fileSystem) = (path, isReadOnly, fileSystem)
        self.isNew = Atomic(isNew)
    }

    // MARK: What was seen

    /// The files, by name.
    var files: [String: SeenFile] { table.withLock { $0.files } }

    /// The number of files, if some of them are not read.
    var surplus: Int? { table.withLock { $0.surplus } }

    /// Whether no file has changed. Waits only for the directory.
    var isUnchanged: Bool {
        do throws(SystemError) {
            for (name, file) in files {
                guard let known = file.status, !file.isFresh,
                    try fileSystem.status(of: WholeFile.join(path, name), followingLink: false) == known
                else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    /// Records a file that this process has written.
    func record(_ file: SeenFile, named name: String) { table.withLock { $0.files[name] = file } }

    // MARK: Reading

    /// Reads new and changed files.
    ///
    /// - Parameters:
    ///   - loadCount: How often the state has loaded another log. If it has, all files are read: the log may lack what was merged.
    ///   - merge: Receives the lines of a file.
    /// - Throws: The system's errors for the directory, and the errors of `merge`. An unreadable file does not keep the others
    ///   from being read.
    func read(_ loadCount: Int, merge: ([LogChanges]) throws -> Void) throws {
        let names = ReplicaFileName.candidates(among: try fileSystem.names(inDirectory: path))
        let known = table.withLock { table in
            let present = Set(names)
            let isOther = table.loadCount != loadCount
            table.files = isOther ? [:] : table.files.filter { present.contains($0.key) }
            table.loadCount = loadCount
            table.surplus = names.count > DirectoryLimits.files ? names.count : nil
            return table.files
        }
        for name in names.prefix(DirectoryLimits.files) {
            let found = SeenFile.read(WholeFile.join(path, name), known: known[name], in: fileSystem)
            if let found { try merge(found.lines) }
            table.withLock { $0.files[name] = found?.seen }
        }
        requestDownloads()
    }

    /// Asks the cloud for replicas' files that are not on the device. They are read when they have arrived.
    private func requestDownloads() {
        let due = table.withLock { table in
            let pending = table.files.filter { if case .placeholder = $0.value.content { true } else { false } }
            return table.downloads.nextDue(among: pending.map(\.key), at: .now)
        }
        for name in due { fileSystem.requestDownload(of: WholeFile.join(path, name)) }
    }

    // MARK: The directory

    /// Checks that the local state is outside of the directory, which would carry it to other devices, and creates the directory
    /// if it is missing.
    ///
    /// Creates its parents for a new state only: later, a missing parent can be an unmounted volume.
    ///
    /// - Throws: ``ReplicaProblem``; the system's errors.
    func prepare(state: String) throws {
        // A link can lead into the directory.
        let inside = WholeFile.realPath(WholeFile.join(path, ""))
        if WholeFile.realPath(state).hasPrefix(inside) { throw ReplicaProblem.stateInDirectory }
        let isThere = try fileSystem.status(of: path, followingLink: true) != nil
        if isReadOnly {
            if isThere { return }
            throw SystemError(call: "open", path: path, number: ENOENT)
        }
        defer { isNew.store(false, ordering: .releasing) }
        if isThere { return }
        if isNew.load(ordering: .acquiring) {
            return try WholeFile(path: WholeFile.join(path, "file"), fileSystem: fileSystem).createDirectory()
        }
        guard try fileSystem.status(of: WholeFile.split(path).directory, followingLink: true)?.kind == .directory else {
            throw ReplicaProblem.missingDirectory(path)
        }
        try fileSystem.createDirectory(path)
    }
}

/// Decides when to ask a cloud for which files.
///
/// A cloud such as iCloud Drive removes the contents of files that a device has not used for a while, and leaves placeholders. It
/// downloads a file on request. That may fail silently, for example without a network, so the request is repeated after a while.
struct DownloadRequests: Sendable {
    private var asked: [String: ContinuousClock.Instant] = [:]

    /// Returns the names of replicas' files to request now, in order, and records the requests.
    ///
    /// Only replicas' files with their usual names are requested: another name could be any file of the user, of any size.
    ///
    /// - Parameter pending: The names of files and placeholders in the directory whose contents are not on the device.
    mutating func nextDue(among pending: [String], at now: ContinuousClock.Instant) -> [String] {
        let names = Set(pending.map(ReplicaFileName.fullName)).filter { ReplicaFileName.isLikely($0) }
        asked = asked.filter { names.contains($0.key) }
        let due = names.filter { name in asked[name].map { now - $0 >= DirectoryLimits.downloadPause } ?? true }
        for name in due { asked[name] = now }
        return due.sorted()
    }
}
