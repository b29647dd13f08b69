import SettingsKitPlatform

/// A new log beside the present one, which it is to replace.
///
/// There is one name for it. A process locks the file while it uses it: the one that does not get the lock gives up.
final class LogTemporary {
    let log: LogFile
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
    /// - Returns: Nil if another process or thread uses the file.
    static func take(_ path: String, for target: String, in fileSystem: any FileSystem) throws -> LogTemporary? {
        let file = try LogFile.refusingLinks { () throws(SystemError) in try fileSystem.openOrCreate(path).file }
        let log = try LogFile.own(FileHandle(descriptor: file.descriptor, path: target), in: fileSystem)
        guard try fileSystem.lock(file),
            try fileSystem.status(of: path, followingLink: false)?.isSameFile(as: log.status) == true
        else { return nil }
        let temporary = LogTemporary(log, path, for: target, in: fileSystem)
        let present = try fileSystem.status(of: target, followingLink: false)?.permissions
        try fileSystem.setPermissions(of: log.file, like: present, inDirectoryOf: target)
        return temporary
    }

    /// Writes a line for each name, from the beginning, and flushes them. Linear time.
    func write(_ contents: LogContents) throws(SystemError) {
        try log.truncate(to: 0)
        var bytes = LogLine.newBeginning.bytes
        try contents.forEachLine { line throws(SystemError) in
            line.append(to: &bytes)
            if bytes.count < LogLimits.part { return }
            try log.append(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        try log.append(bytes)
        try log.flush()
    }

    /// Copies the complete lines of another log from an offset on, and flushes them.
    ///
    /// - Returns: The offset of the last one's end. Nil if a line is damaged or records a failed flush.
    func copy(from other: LogFile, _ start: Int64, to end: Int64) throws(SystemError) -> Int64? {
        if start == end { return end }
        var bytes = try other.bytes(from: start, to: end)
        var isGood = true
        let length = LogLineReader.read(bytes) { line in
            switch line {
            case .line(.changes), .line(.replica), .line(.replaced): break
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
        WholeFile.removeOwn(path, in: fileSystem)
    }

    deinit { discard() }
}
