import SettingsCore

/// What is wrong with a journal.
enum JournalProblem: ValueFreeError {
    case damaged
    case newerVersion(UInt16)
    case locked
    case tooLarge

    var description: String {
        switch self {
        case .damaged: "The journal is damaged; its intact records are used."
        case .newerVersion(let version):
            "The journal was written by a newer version of SettingsKit (format \(version)); update this program."
        case .locked: "Another process has locked the journal and does not go on; if it is stopped, continue or end it."
        case .tooLarge: "The change is larger than a record of the journal can be."
        }
    }
}
