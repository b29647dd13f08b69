/// The names of replicas' files. Syncers rename files, so a name identifies nothing. It only keeps a replica's file from
/// replacing another file.
enum ReplicaFileName {
    private static let beginning = "Settings-"
    private static let ending = ".jsonl"

    /// Returns the name for one of a replica's files.
    ///
    /// - Parameters:
    ///   - replica: The replica.
    ///   - part: The number of the part: 0 for the head.
    ///   - attempt: 1 for the usual name, more if other files have the names before.
    static func name(of replica: ReplicaID, part: Int = 0, attempt: Int = 1) -> String {
        beginning + replica.description + (attempt == 1 ? "" : "-\(attempt)") + (part == 0 ? "" : ".part\(part)")
            + ending
    }

    /// Whether a file with this name is probably a replica's file.
    static func isLikely(_ name: String) -> Bool { name.hasPrefix(beginning) }

    /// Whether a file with this name is probably one of this replica's files.
    static func isLikely(_ name: String, of replica: ReplicaID) -> Bool {
        name.hasPrefix(beginning + replica.description)
    }

    /// Whether a file with this name can be a replica's file. Hidden files are not, as the temporary files of this
    /// library and of most syncers are hidden. A placeholder for a file in the cloud is hidden, too, and counts.
    static func isPossible(_ name: String) -> Bool { !name.hasPrefix(".") || isPlaceholder(name) }

    /// Whether it is the name of a placeholder of iCloud Drive, `.NAME.icloud`, for a file that is not downloaded.
    static func isPlaceholder(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".icloud") }

    /// Returns the name of the file that a placeholder represents; the name itself if it is not a placeholder's.
    static func fullName(of name: String) -> String {
        isPlaceholder(name) ? String(name.dropFirst().dropLast(".icloud".count)) : name
    }

    /// Returns the names that can be replicas', in the order in which the files are read: own files first, then likely
    /// replicas' files, then others.
    static func candidates(among names: [String], own: ReplicaID) -> [String] {
        names.filter(isPossible).map { (rank: rank(of: $0, own: own), name: $0) }.sorted { $0 < $1 }.map(\.name)
    }

    private static func rank(of name: String, own: ReplicaID) -> Int {
        // Shorter names first: the names of earlier attempts are shorter.
        if isLikely(name, of: own) { return name.utf8.count }
        return isLikely(name) ? .max - 1 : .max
    }
}
