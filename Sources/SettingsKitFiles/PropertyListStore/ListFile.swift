import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file of a property list that is printed from a log. Has no state.
struct ListFile: Sendable {
    enum Contents: Sendable {
        case missing
        case members(LogContents.ListContents)
        case fault(PropertyListError)
    }

    let file: WholeFile
    private var fileSystem: any FileSystem { file.fileSystem }

    /// Reads the list.
    ///
    /// - Parameter status: The list's status.
    /// - Returns: The bytes, nil inside if there is no list. Nil if the list has changed meanwhile.
    func read(_ status: FileStatus?) throws(SystemError) -> Data?? {
        let read = try file.read(limit: PropertyListLimits.fileSize)
        guard read?.status == status, try file.status() == status else { return nil }
        return .some(read?.bytes)
    }

    static func contents(of bytes: Data?) -> Contents {
        guard let bytes else { return .missing }
        do throws(PropertyListError) {
            let members = try PropertyListReader.readDictionary(bytes)
            let values = Dictionary(members.map { ($0.key, $0.value) }) { $1 }
            return .members(.init(digest: FileDigest(bytes), members: values))
        } catch {
            return .fault(error)
        }
    }

    /// Flushes the list and its directory.
    func flush() throws(SystemError) {
        let opened = try fileSystem.openForReading(file.path, followingLink: true)
        defer { fileSystem.close(opened) }
        try fileSystem.synchronize(opened)
        try file.synchronizeDirectory()
    }

    /// Reads the list, for the first line about it.
    func statement(isFlushing: Bool) throws -> (LogContents) throws -> SettingsLog.ListStatement? {
        let status = try file.status()
        guard let bytes = try read(status) else { return { _ in nil } }
        switch Self.contents(of: bytes) {
        case .missing, .fault:
            return { [file] contents in
                guard try file.status() == status else { return nil }
                // What an earlier list said is still in force.
                if !contents.isListLaid { return .nothing }
                return .line(LogList(digest: nil, kind: .imported(contents.laid, shown: [])))
            }
        case .members(let list):
            if isFlushing { try flush() }
            return { [file] contents in
                guard try file.status() == status else { return nil }
                guard let said = contents.said(by: list, isOpening: false) else { return .nothing }
                return .line(LogList(digest: list.digest, kind: .imported(said.changes, shown: said.shown)))
            }
        }
    }

    /// Writes a list that cannot be replaced, because it is a mount point, and flushes it. A crash leaves a damaged list, which the log
    /// mends.
    func overwrite(_ bytes: Data) throws(SystemError) -> FileStatus {
        let opened = try fileSystem.openForOverwriting(file.path)
        defer { fileSystem.close(opened) }
        try fileSystem.truncate(opened, to: 0)
        try fileSystem.write(all: Array(bytes), to: opened)
        try fileSystem.synchronize(opened)
        return try fileSystem.status(of: opened)
    }
}
