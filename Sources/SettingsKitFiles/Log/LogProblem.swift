import SettingsKitCore
import SettingsKitPlatform

/// A problem of a log or its lock file.
enum LogProblem: ValueFreeError, Equatable {
    case damaged
    case newerVersion(Int)
    case foreign
    case locked
    case symbolicLink
    case notAFile
    case foreignOwner
    case tooOpen
    case tooLarge(limit: Int64)
    case listRemoved
    case unreadable(SystemError)

    var description: String {
        switch self {
        case .damaged: "The log is damaged; its intact lines are used, and a copy of it is kept."
        case .newerVersion(let version):
            "The log was written by a newer version of SettingsKit (format \(version)); update this program."
        case .foreign: "The file at the log's path is no log; move it away if it is not needed."
        case .locked: "Another process keeps the log locked; continue or end it."
        case .symbolicLink: "The log or its lock file is a symbolic link, which is not followed; remove the link."
        case .notAFile: "The path of the log or its lock file leads to something other than a file; remove it."
        case .foreignOwner:
            "The log or its lock file belongs to a user who does not own its directory; remove the file, or give it to the "
                + "owner of the directory."
        case .tooOpen:
            "Users who may not change the directory may write the log or its lock file; restrict the permissions of the file."
        case .listRemoved:
            "The property list was removed while no program used it; its settings are reset, and a copy of the log is kept."
        case .unreadable(let error): "The log cannot be read: \(error)"
        case .tooLarge(let limit): "The log would be larger than \(limit) bytes."
        }
    }
}
