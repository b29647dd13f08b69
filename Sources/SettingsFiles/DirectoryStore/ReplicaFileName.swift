/// The names of replicas' files. Syncers rename files, so nothing depends on the names, except that a replica's file must
/// not take the place of another file.
enum ReplicaFileName {
    private static let beginning = "Settings-"
    private static let ending = ".jsonl"

    /// - Parameters:
    ///   - part: Which part of the replica's records the file has; 0 for the head.
    ///   - attempt: 1 for the usual name, more where others were taken.
    static func name(of replica: ReplicaID, part: Int = 0, attempt: Int = 1) -> String {
        beginning + replica.description + (attempt == 1 ? "" : "-\(attempt)") + (part == 0 ? "" : ".part\(part)")
            + ending
    }

    static func isLikely(_ name: String) -> Bool { name.hasPrefix(beginning) }

    /// Whether the name may be one that this replica has given to a file.
    static func isLikely(_ name: String, of replica: ReplicaID) -> Bool {
        name.hasPrefix(beginning + replica.description)
    }

    /// Hidden files are not replicas' files: the temporary files of this library and of most syncers are hidden. A
    /// placeholder for a file that is in the cloud is hidden, too.
    static func isPossible(_ name: String) -> Bool { !name.hasPrefix(".") || isPlaceholder(name) }

    /// Whether it is what iCloud Drive has for a file that it has not brought, `.NAME.icloud`.
    static func isPlaceholder(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".icloud") }

    /// In which order files are looked at, by the first of them that differs; together with the name.
    static func rank(of name: String, own: ReplicaID) -> Int {
        // The names of the own files in the order in which they are taken.
        if isLikely(name, of: own) { return name.utf8.count }
        return isLikely(name) ? .max - 1 : .max
    }
}
