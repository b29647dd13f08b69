import SettingsKit

/// Carries out the repairs that an inspection proposes, after a backup.
///
/// A repair removes temporary files of processes that died, gives a journal the permissions of its property list, has the store
/// recover its property list, or writes a replica's own files again. Nothing else is touched.
struct StoreRepair {
    let inspection: StoreInspection
    private let fileSystem = POSIXFileSystem()

    init(_ inspection: StoreInspection) { self.inspection = inspection }

    /// The findings to repair, in the required order.
    var repairable: [StoreFinding] {
        let order: [StoreFinding.Repair] = [.removeTemporary, .restrictJournal, .recoverPropertyList, .writeReplica]
        return order.flatMap { repair in inspection.findings.filter { $0.repair == repair } }
    }

    /// Copies the property list and its journal, as the inspection has read them, beside themselves.
    ///
    /// - Returns: The paths of the copies.
    func backUp() throws -> [String] {
        let date = String(Date().formatted(.iso8601)).replacing(":", with: "")
        let suffix = ".backup-\(date)-\(String(UInt32.random(in: .min ... .max), radix: 36))"
        var paths: [String] = []
        for file in [inspection.list?.list, inspection.list?.journal] {
            guard let file, let bytes = file.bytes else { continue }
            let path = CompanionName.path(beside: file.path, suffix: suffix)
            let copy = WholeFile(path: path, fileSystem: fileSystem)
            try copy.replace(with: bytes, permissions: file.status?.permissions)
            paths.append(path)
        }
        return paths
    }

    /// Carries out the repair of one finding.
    ///
    /// - Returns: What was done, in a sentence.
    func perform(_ finding: StoreFinding) throws -> String {
        switch finding.repair {
        case .removeTemporary:
            try WholeFile(path: finding.path, fileSystem: fileSystem).removeUnlocked(finding.path)
            return "Removed \(finding.path)."
        case .restrictJournal:
            try restrictJournal(finding.path)
            return "Gave \(finding.path) the permissions of the property list."
        case .recoverPropertyList:
            try recover()
            return "Brought the property list and its journal up to date."
        case .writeReplica:
            try writeReplica()
            return "Wrote this replica's files."
        case nil: return ""
        }
    }

    private func restrictJournal(_ path: String) throws {
        guard let list = inspection.list else { return }
        let file = try fileSystem.openForReading(path, followingLink: false)
        defer { fileSystem.close(file) }
        let status = try fileSystem.status(of: file)
        // The file must be the inspected one: another may have its name now.
        guard status.kind == .file, status.linkCount == 1, status.isSameFile(as: list.journal.status) else { return }
        let allowed = list.list.status?.permissions.mode ?? 0o600
        try fileSystem.changeMode(of: file, to: status.permissions.mode & allowed | 0o600)
    }

    private func recover() throws {
        // A state is a property list, too.
        guard let path = inspection.list?.list.path else { return }
        try PropertyListStore(url: URL(filePath: path, directoryHint: .notDirectory)).rewrite()
    }

    private func writeReplica() throws {
        guard case .shared(let path, let state) = inspection.place else { return }
        let store = try DirectoryStore(
            at: URL(filePath: path, directoryHint: .isDirectory),
            state: state.map { URL(filePath: $0, directoryHint: .isDirectory) })
        try store.synchronize()
        try store.export()
    }
}
