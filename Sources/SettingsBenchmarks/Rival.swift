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
    var waitsForDisk: Bool {
        switch self {
        case .userDefaults, .sqlite: false
        case .writtenUserDefaults, .plist, .json, .safePlist, .safeSQLite: true
        }
    }

    /// What is true of a change when the call that makes it has returned.
    struct Promise: Equatable {
        /// The process may be killed.
        var kill: String
        /// The machine may lose its power.
        var powerFailure: String
        /// Other processes change other settings in the same place.
        var processes: String
    }

    /// On Linux, as seen in the system calls of each.
    var promise: Promise {
        switch self {
        case .userDefaults: Promise(kill: "lost", powerFailure: "lost", processes: "do not see it")
        // The file is truncated and written in place.
        case .writtenUserDefaults:
            Promise(kill: "safe; during the call, the file is cut", powerFailure: "safe", processes: "overwrite it")
        // fsync of the new file, then rename; no fsync of the directory.
        case .plist, .json: Promise(kill: "safe", powerFailure: "may be lost", processes: "overwrite it")
        case .sqlite: Promise(kill: "safe", powerFailure: "may be lost", processes: "see it when they ask")
        case .safePlist: Promise(kill: "safe", powerFailure: "safe", processes: "overwrite it")
        case .safeSQLite: Promise(kill: "safe", powerFailure: "safe", processes: "see it when they ask")
        }
    }
}

/// What is compared with rivals.
enum RivalOperation: String, CaseIterable {
    case get = "get of an Int beside others"
    case set = "set of an Int beside others"
    case safeSet = "set and synchronize of an Int beside others"
    case start = "start, open, one get, exit beside others"

    /// For a person who has not read the rest.
    var title: String {
        switch self {
        case .get: "read a number"
        case .set: "change a number"
        case .safeSet: "change a number, safe from a power failure"
        case .start: "start a program, read a number of 20 settings, exit"
        }
    }

    /// How SettingsKit does it.
    var call: String {
        switch self {
        case .get: "settings.get(.launchCount)"
        case .set: "settings.set(.launchCount, to: number)"
        case .safeSet: "settings.set, settings.synchronize()"
        case .start: "SettingsService(defaults: …), get"
        }
    }

    /// What SettingsKit promises. Nil where nothing is changed.
    var promise: Rival.Promise? {
        switch self {
        case .get, .start: nil
        case .set: Rival.Promise(kill: "safe", powerFailure: "may be lost", processes: "see it at once")
        case .safeSet: Rival.Promise(kill: "safe", powerFailure: "safe", processes: "see it at once")
        }
    }
}
