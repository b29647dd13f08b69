import SettingsKitPlatform

/// The names of replicas' files. Syncers rename files, so a name identifies nothing. It only keeps a replica's file from
/// replacing another file.
enum ReplicaFileName {
    private static let beginning = "Settings-"

    static func name(of replica: UInt64) -> String { beginning + replica.hexDigits + ".jsonl" }

    /// Whether a file with this name is probably a replica's file.
    static func isLikely(_ name: String) -> Bool { name.hasPrefix(beginning) }

    /// Whether a file with this name can be a replica's file. Hidden files are not, as the temporary files of this
    /// library and of most syncers are hidden. A placeholder for a file in the cloud is hidden, too, and counts.
    static func isPossible(_ name: String) -> Bool { !name.hasPrefix(".") || isPlaceholder(name) }

    /// Whether it is the name of a placeholder of iCloud Drive, `.NAME.icloud`, for a file that is not downloaded.
    static func isPlaceholder(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".icloud") }

    /// Returns the name of the placeholder for a file.
    static func placeholder(of name: String) -> String { ".\(name).icloud" }

    /// Returns the name of the file that a placeholder represents; the name itself if it is not a placeholder's.
    static func fullName(of name: String) -> String {
        isPlaceholder(name) ? String(name.dropFirst().dropLast(".icloud".count)) : name
    }

    /// Returns the names that can be replicas', in the order in which the files are read: those with a usual name first.
    static func candidates(among names: [String]) -> [String] {
        names.filter(isPossible).sorted { (isLikely($0) ? 0 : 1, $0) < (isLikely($1) ? 0 : 1, $1) }
    }
}
