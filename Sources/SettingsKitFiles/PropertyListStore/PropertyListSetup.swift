import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The place of a property list, and how it is used.
struct PropertyListSetup: Sendable {
    let path: String
    let fileSystem: any FileSystem
    /// The name of the store in messages.
    var description: String
    /// Whether to notice changes of other processes.
    var isWatching = true
    /// The time between a change and the background's look at the files.
    var writingDelay = PropertyListTimings.writingDelay
    /// The time that an operation waits for other processes that keep the files locked.
    var patience = LogLimits.patience
    /// The longest time that a change may be missing from the property list. Nil for a time in proportion to its size.
    var lag: Duration?
    /// The time for which a log counts as the one at its path. Nil for the default.
    var trust: Duration?
    var limits = PropertyListStoreLimits()
    /// What the first store over the list may do.
    var access = SettingsStoreAccess.readWrite
    /// The time for which a list that cannot be parsed counts as being written by another program.
    var editingTime = PropertyListTimings.editingTime
    /// Whether a time is less than two seconds past, or in the future, by the clock of the file system.
    var isYoung: @Sendable (FileStatus.Timestamp) -> Bool = { time in
        time.seconds > Int64(Date().timeIntervalSince1970) - 2
    }

    init(path: String, fileSystem: any FileSystem) {
        self.path = path
        self.fileSystem = fileSystem
        description = Self.description(of: path)
    }

    static func description(of path: String) -> String { "PropertyListStore at \(path)" }
}
