#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The current destination of a path, and the objects whose change would alter it.
struct WatchLocation: Equatable, Sendable {
    /// A name in a directory: a component of the path, or of the destination of a symbolic link on it.
    struct Step: Equatable, Sendable {
        var directory: String
        var name: String
        /// The object with the name; nil if there is none.
        var object: FileStatus?

        var path: String { WholeFile.join(directory, name) }

        /// Whether the path continues there.
        var isFollowed: Bool { object?.kind == .directory || object?.kind == .link }

        static func == (one: Step, other: Step) -> Bool {
            one.path == other.path && one.object?.kind == other.object?.kind
                && one.object?.isSameFile(as: other.object) ?? true
        }
    }

    /// The followed objects, from the root. If `directory` is nil, the last one cannot be followed.
    var steps: [Step] = []
    /// The directory, on a path without symbolic links; nil if there is none.
    var directory: String?
    /// The directories on the path that contain no other part of it: the last existing one, and those before a "..".
    var ends: [String] = []

    /// Follows a path as the system does, and also symbolic links to missing objects: the path will lead there.
    ///
    /// - Throws: the system's errors; `ENOENT`, `ENOTDIR` or `EINVAL` if something has changed in the meantime.
    static func find(_ path: String) throws(SystemError) -> WatchLocation {
        let fileSystem = POSIXFileSystem()
        var location = WatchLocation()
        var directory = WholeFile.isAbsolute(path) ? "/" : "."
        // The last one first.
        var pending = Array(WholeFile.components(path).reversed())
        var links = 0
        while let name = pending.popLast() {
            if name == "..", let last = location.steps.last, last.name != "..", last.object?.kind == .directory {
                location.ends.append(directory)
            }
            var step = Step(directory: directory, name: name)
            let next = step.path
            step.object = try fileSystem.status(of: next, followingLink: false)
            location.steps.append(step)
            switch step.object?.kind {
            case .directory: directory = next
            case .link:
                links += 1
                guard links <= 40 else { throw SystemError(call: "readlink", path: path, number: ELOOP) }
                let destination = try fileSystem.destination(ofLink: next)
                if WholeFile.isAbsolute(destination) { directory = "/" }
                pending += WholeFile.components(destination).reversed()
            case .file, .other, nil:
                location.ends.append(directory)
                return location
            }
        }
        location.directory = directory
        location.ends.append(directory)
        return location
    }
}
