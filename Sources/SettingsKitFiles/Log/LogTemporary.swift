import SettingsKitPlatform

/// A new log beside the present one, which it is to replace.
///
/// ``FileSystem/takeTemporary(_:)``
final class LogTemporary {
    let log: LogFile
    /// The ends of the lines of names that were not printed.
    private(set) var ends: [String: Int64] = [:]
    /// The end of what ``write(_:)`` has written.
    private(set) var end: Int64 = 0
    private let path: String
    private let target: String
    private let fileSystem: any FileSystem
    private var isInUse = true

    private init(_ log: LogFile, _ path: String, for target: String, in fileSystem: any FileSystem) {
        (self.log, self.path, self.target, self.fileSystem) = (log, path, target, fileSystem)
    }

    /// Takes the file.
    ///
    /// - Parameters:
    ///   - path: The path of the new log.
    ///   - target: The path of the present one, which errors name.
    ///   - model: The path of the file whose permissions the new log gets rather than those of the present one.
    /// - Returns: Nil if another process or thread uses the file.
    static func take(
        _ path: String, for target: String, like model: String?, in fileSystem: any FileSystem
    ) throws -> LogTemporary? {
        let taken = try LogFile.refusingLinks { () throws(SystemError) in try fileSystem.takeTemporary(path) }
        guard let taken else { return nil }
        do {
            let file = FileHandle(descriptor: taken.descriptor, path: target)
            let log = try LogFile.own(file, like: model, in: fileSystem)
            var permissions =
                try model.flatMap { try fileSystem.status(of: $0, followingLink: true)?.permissions }
                ?? fileSystem.status(of: target, followingLink: false)?.permissions
            permissions?.mode |= 0o600
            try fileSystem.setPermissions(of: log.file, like: permissions, inDirectoryOf: target)
            return LogTemporary(log, path, for: target, in: fileSystem)
        } catch let error as SystemError {
            fileSystem.removeOwn(path)
            throw error
        }
    }

    /// Writes a line for each name, from the beginning, and flushes them. Linear time.
    func write(_ contents: LogContents) throws(SystemError) {
        try log.truncate(to: 0)
        var bytes = LogLine.newBeginning.bytes
        var written: Int64 = 0
        ends = try contents.forEachLine(from: Int64(bytes.count)) { line throws(SystemError) in
            line.append(to: &bytes)
            let end = written + Int64(bytes.count)
            if bytes.count >= LogLimits.part {
                try log.append(bytes)
                written = end
                bytes.removeAll(keepingCapacity: true)
            }
            return end
        }
        try log.append(bytes)
        try log.flush()
        end = written + Int64(bytes.count)
    }

    /// Appends the first line about the property list, and flushes it.
    func append(_ line: LogLine) throws(SystemError) {
        let bytes = line.bytes
        try log.append(bytes)
        try log.flush()
        end += Int64(bytes.count)
    }

    /// Copies the complete lines of another log from an offset on, and flushes them.
    ///
    /// - Returns: The offset of the last one's end. Nil if a line is damaged or records a failed flush.
    func copy(from other: LogFile, _ start: Int64, to end: Int64) throws(SystemError) -> Int64? {
        if start == end { return end }
        var bytes = try other.bytes(from: start, to: end)
        var isGood = true
        let length = LogLineReader.read(bytes) { line, _ in
            switch line {
            case .line(.changes), .line(.replica), .line(.replaced): break
            case .line(.list(let list)): isGood = isGood && list.kind == .announced
            case .line(.beginning), .line(.failedFlush), .damaged, .newerVersion: isGood = false
            }
        }
        guard isGood else { return nil }
        bytes.removeSubrange(length...)
        try log.append(bytes)
        try log.flush()
        return start + Int64(length)
    }

    /// Puts the log in its place.
    func put() throws(SystemError) -> LogFile {
        try fileSystem.rename(path, to: target)
        isInUse = false
        fileSystem.unlock(log.file)
        return log
    }

    /// Removes the file. Does nothing after ``put()``.
    func discard() {
        guard isInUse else { return }
        isInUse = false
        fileSystem.removeOwn(path)
    }

    deinit { discard() }
}
