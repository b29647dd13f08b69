/// What programs keep settings with today, and what each promises. All are used as their documentation shows, by one thread,
/// with a hundred settings.
enum Rival: String, CaseIterable {
    case userDefaults = "UserDefaults"
    case writtenUserDefaults = "UserDefaults and synchronize"
    case plist = "a plist by Foundation"
    case json = "a JSON file by Foundation"
    case sqlite = "SQLite through C"
    case safePlist = "a plist by Foundation, and fsync"
    case safeSQLite = "SQLite through C, synchronous = FULL"

    /// Whether a change waits for the disk. A ratio to it says as much about the disk as about the processor.
    var waitsForDisk: Bool { self != .userDefaults && self != .sqlite }

    /// What is true of a change when the call that makes it has returned, on Linux, as seen in the system calls of each: if
    /// the process is killed; if the machine loses its power; of other processes that change other settings in the same place.
    var promise: [String] {
        switch self {
        case .userDefaults: ["lost", "lost", "do not see it"]
        // The file is truncated and written in place.
        case .writtenUserDefaults: ["safe; during the call, the file is cut", "safe", "overwrite it"]
        // fsync of the new file, then rename; no fsync of the directory.
        case .plist, .json: ["safe", "may be lost", "overwrite it"]
        case .sqlite: ["safe", "may be lost", "see it when they ask"]
        case .safePlist: ["safe", "safe", "overwrite it"]
        case .safeSQLite: ["safe", "safe", "see it when they ask"]
        }
    }
}

/// What is compared with rivals.
enum RivalOperation: String, CaseIterable {
    case get = "get of an Int beside others"
    case set = "set of an Int beside others"
    case safeSet = "set and synchronize of an Int beside others"
    case start = "start, open, one get, exit beside others"

    /// For a person who has not read the rest: what it is, how SettingsKit does it, and what SettingsKit promises of a change.
    var description: (title: String, call: String, promise: [String]?) {
        switch self {
        case .get: ("read a number", "settings.get(.launchCount)", nil)
        case .set:
            (
                "change a number", "settings.set(.launchCount, to: number)", ["safe", "may be lost", "see it at once"]
            )
        case .safeSet:
            (
                "change a number, safe from a power failure", "settings.set, settings.synchronize()",
                ["safe", "safe", "see it at once"]
            )
        case .start:
            ("start a program, read a number of 20 settings, exit", "SettingsService(defaults: …), get", nil)
        }
    }
}
