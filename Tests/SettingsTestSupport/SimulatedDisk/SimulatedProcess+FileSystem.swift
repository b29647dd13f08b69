import SettingsKitPlatform

/// The calls. Their meaning is in the protocol, and their effect in `DiskState`.
extension SimulatedProcess {
    package func status(of path: String, followingLink: Bool) throws(SystemError) -> FileStatus? {
        try perform(Call(name: "stat", path: path)) { (state, _, _) throws(DiskFailure) in
            try state.status(of: path, followingLink: followingLink)
        }
    }

    package func status(of file: FileHandle) throws(SystemError) -> FileStatus {
        try perform(Call(name: "fstat", path: file.path)) { (state, _, process) throws(DiskFailure) in
            try state.status(of: state.openFile(file.descriptor, of: process).inode)
        }
    }

    package func extent(of file: FileHandle) throws(SystemError) -> FileExtent { FileExtent(try status(of: file)) }

    package func destination(ofLink path: String) throws(SystemError) -> String {
        try perform(Call(name: "readlink", path: path)) { (state, _, _) throws(DiskFailure) in
            try state.destination(ofLink: path)
        }
    }

    package func openForReading(_ path: String, followingLink: Bool) throws(SystemError) -> FileHandle {
        try perform(Call(name: "open", path: path)) { (state, _, process) throws(DiskFailure) in
            let descriptor = try state.openForReading(path, followingLink: followingLink, process: process)
            return FileHandle(descriptor: descriptor, path: path)
        }
    }

    package func create(_ path: String) throws(SystemError) -> FileHandle {
        try perform(Call(name: "open", path: path)) { (state, _, process) throws(DiskFailure) in
            FileHandle(descriptor: try state.create(path, process: process), path: path)
        }
    }

    package func openForAppending(_ path: String) throws(SystemError) -> FileHandle {
        try perform(Call(name: "open", path: path)) { (state, _, process) throws(DiskFailure) in
            FileHandle(descriptor: try state.openForAppending(path, process: process), path: path)
        }
    }

    package func openForOverwriting(_ path: String) throws(SystemError) -> FileHandle {
        try perform(Call(name: "open", path: path)) { (state, _, process) throws(DiskFailure) in
            FileHandle(descriptor: try state.openForOverwriting(path, process: process), path: path)
        }
    }

    package func duplicate(_ file: FileHandle) throws(SystemError) -> FileHandle {
        try perform(Call(name: "dup", path: file.path)) { (state, _, process) throws(DiskFailure) in
            let open = try state.openFile(file.descriptor, of: process)
            return FileHandle(descriptor: state.open(open), path: file.path)
        }
    }

    package var user: UInt32 { DiskState.user }

    package func changeOwner(of file: FileHandle, to owner: UInt32) throws(SystemError) -> Bool {
        try perform(Call(name: "fchown", path: file.path)) { (state, _, process) throws(DiskFailure) in
            try state.openFile(file.descriptor, of: process)
            return owner == DiskState.user
        }
    }

    package func changeGroup(of file: FileHandle, to group: UInt32) throws(SystemError) -> Bool {
        try perform(Call(name: "fchown", path: file.path)) { (state, _, process) throws(DiskFailure) in
            try state.openFile(file.descriptor, of: process)
            return group == DiskState.group
        }
    }

    package func changeMode(of file: FileHandle, to mode: UInt16) throws(SystemError) {
        try perform(Call(name: "fchmod", path: file.path)) { (state, _, process) throws(DiskFailure) in
            try state.changeMode(file.descriptor, of: process, to: mode)
        }
    }

    package func attributes(of path: String) -> [FileAttribute] {
        uncounted { (state, _) throws(DiskFailure) in try state.attributes(of: path) } ?? []
    }

    @discardableResult
    package func setAttribute(_ attribute: FileAttribute, of file: FileHandle) -> Bool {
        let isSet: Void? = uncounted { (state, process) throws(DiskFailure) in
            try state.setAttribute(attribute, of: file.descriptor, of: process)
        }
        return isSet != nil
    }

    package func read(_ file: FileHandle, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let count = buffer.count
        let bytes = try perform(Call(name: "read", path: file.path)) { (state, portion, process) throws(DiskFailure) in
            try state.read(file.descriptor, of: process, count: portion.of(count))
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    package func read(
        _ file: FileHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let count = buffer.count
        let bytes = try perform(Call(name: "pread", path: file.path)) { (state, portion, process) throws(DiskFailure) in
            try state.read(file.descriptor, of: process, at: offset, count: portion.of(count))
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    package func write(_ bytes: UnsafeRawBufferPointer, to file: FileHandle) throws(SystemError) -> Int {
        let bytes = [UInt8](bytes)
        let call = Call(name: "write", path: file.path, isWrite: true)
        return try perform(call) { (state, portion, process) throws(DiskFailure) in
            try state.write([UInt8](bytes.prefix(portion.of(bytes.count))), to: file.descriptor, of: process)
        }
    }

    /// Has no effect, because there is no cloud. The disk records the path.
    package func requestDownload(of path: String) {
        _ = uncounted { (state, _) throws(DiskFailure) in state.requestedDownloads.append(path) }
    }

    /// Affects only watchers, which a simulated disk does not have.
    package func touch(_ path: String) {}

    package func truncate(_ file: FileHandle, to size: Int64) throws(SystemError) {
        try perform(Call(name: "ftruncate", path: file.path)) { (state, _, process) throws(DiskFailure) in
            try state.truncate(file.descriptor, of: process, to: size)
        }
    }

    package func lock(_ file: FileHandle) throws(SystemError) -> Bool {
        try perform(Call(name: "flock", path: file.path)) { (state, _, process) throws(DiskFailure) in
            try state.lock(file.descriptor, of: process)
        }
    }

    package func synchronize(_ file: FileHandle) throws(SystemError) {
        let call = Call(name: "fsync", path: file.path, synchronized: file.descriptor)
        try perform(call) { (state, _, process) throws(DiskFailure) in
            try state.synchronize(file.descriptor, of: process)
        }
    }

    package func synchronizeDirectory(_ path: String) throws(SystemError) {
        try perform(Call(name: "fsync", path: path)) { (state, _, _) throws(DiskFailure) in
            try state.synchronizeDirectory(path)
        }
    }

    package func rename(_ path: String, to newPath: String) throws(SystemError) {
        try perform(Call(name: "rename", path: newPath)) { (state, _, _) throws(DiskFailure) in
            try state.rename(path, to: newPath)
        }
    }

    package func link(_ path: String, as newPath: String) throws(SystemError) {
        try perform(Call(name: "link", path: newPath)) { (state, _, _) throws(DiskFailure) in
            try state.link(path, as: newPath)
        }
    }

    package func remove(_ path: String) throws(SystemError) {
        try perform(Call(name: "unlink", path: path)) { (state, _, _) throws(DiskFailure) in
            try state.remove(path)
        }
    }

    @discardableResult
    package func createDirectory(_ path: String) throws(SystemError) -> Bool {
        try perform(Call(name: "mkdir", path: path)) { (state, _, _) throws(DiskFailure) in
            try state.createDirectory(path)
        }
    }

    package func names(inDirectory path: String) throws(SystemError) -> [String] {
        try perform(Call(name: "opendir", path: path)) { (state, _, _) throws(DiskFailure) in
            try state.names(inDirectory: path)
        }
    }
}
