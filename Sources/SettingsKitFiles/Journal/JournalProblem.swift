import SettingsKitCore
import SettingsKitPlatform

/// A problem of a journal.
indirect enum JournalProblem: ValueFreeError, Equatable {
    case damaged
    case newerVersion(UInt16)
    case locked
    case foreign
    case stale
    case listIsStale
    case symbolicLink
    case hardLink
    case notAFile
    case foreignOwner
    case tooOpen
    case unreadable(SystemError)
    case ofLockFile(JournalProblem)

    /// Whether the file at the journal's path must stay until a person has examined it.
    var isRefusal: Bool {
        switch self {
        case .symbolicLink, .hardLink, .notAFile, .foreignOwner, .tooOpen, .unreadable, .ofLockFile: true
        case .damaged, .newerVersion, .locked, .foreign, .stale, .listIsStale: false
        }
    }

    var description: String { description(of: "journal") }

    private func description(of file: String) -> String {
        switch self {
        case .damaged: "The journal is damaged; its intact records are used."
        case .newerVersion(let version):
            "The journal was written by a newer version of SettingsKit (format \(version)); update this program."
        case .locked: "Another process keeps the property list locked; continue or end it."
        case .foreign: "The journal belongs to another property list."
        case .stale: "The journal is older than the property list."
        case .listIsStale: "The property list is older than its journal."
        case .symbolicLink: "The \(file) is a symbolic link, which is not followed; remove the link."
        case .hardLink:
            "The \(file) has more than one name, and is not this user's alone; remove the other names, or replace it by a copy of "
                + "itself."
        case .notAFile: "The path of the \(file) leads to something other than a file; remove it."
        case .foreignOwner:
            "The \(file) belongs to a user who owns neither the property list nor its directory; remove the \(file), or "
                + "give it to the owner of the property list."
        case .tooOpen:
            "More users have access to the \(file) than to the property list; give it the same permissions, "
                + "or remove it if it is not yours."
        case .unreadable(let error): "The journal cannot be read: \(error)"
        case .ofLockFile(let problem): problem.description(of: "journal's lock file")
        }
    }
}
