import SettingsKitCore
import SettingsKitPlatform

/// A problem with the files of a shared store. Its description names the file, and never contains a value.
enum ReplicaProblem: ValueFreeError, Equatable {
    case newerFile(String, version: Int)
    case damagedFile(String, lines: Int)
    case tooLarge(String)
    case tooManyFiles(Int)
    case notDelivered(String)
    case unreadable(String, SystemError)
    case tooMuch
    case noTimeLeft(replica: String)
    case copiedState
    case missingDirectory(String)
    case stateInDirectory

    /// The code of the error that reports the problem.
    var code: SettingsError.Code {
        switch self {
        case .damagedFile: .partlyUsedFile
        case .copiedState: .copiedState
        case .newerFile, .tooLarge, .tooManyFiles, .notDelivered, .unreadable: .unusedFile
        case .stateInDirectory: .storeUnavailable
        case .missingDirectory, .tooMuch: .notExported
        case .noTimeLeft: .writeFailed
        }
    }

    /// Identifies the problem without its numbers, so that it is diagnosed once.
    var topic: String {
        switch self {
        case .newerFile(let file, _), .damagedFile(let file, _), .tooLarge(let file), .notDelivered(let file),
            .unreadable(let file, _):
            "\(code.name) \(file)"
        default: code.name
        }
    }

    var description: String {
        switch self {
        case .newerFile(let file, let version):
            "\(file) was written by a newer version of SettingsKit (format \(version)); update this program to read it."
        case .damagedFile(let file, let lines):
            "\(lines) lines of \(file) are damaged; its other lines are used."
        case .tooLarge(let file):
            "\(file) is larger than \(DirectoryLimits.fileSize >> 20) MiB and was not read."
        case .tooManyFiles(let count):
            "The directory has \(count) files; only the first ones were read."
        case .notDelivered(let file):
            "\(file) is in the cloud only; it is read once it is downloaded."
        case .unreadable(let file, let error):
            "\(file) cannot be read: \(error)"
        case .tooMuch:
            "The settings are larger than the \(DirectoryLimits.fileSize >> 20) MiB that can be shared; remove some."
        case .noTimeLeft(let replica):
            "The replica \(replica) has changed the setting in the year 2199; it cannot be changed later."
        case .copiedState:
            "Another device, or an earlier one, has written under this replica's ID: the local state is a copy. This one "
                + "has a new ID now."
        case .missingDirectory(let directory):
            "\(directory) and its parent directory are missing; is the volume mounted?"
        case .stateInDirectory:
            "The local state is inside the shared directory and would be carried to other devices. Put it elsewhere."
        }
    }
}

extension SettingsError.Code {
    /// The code `notSaved`, if a shared directory cannot be read or written.
    static let notExported = Self(
        name: notSaved.name,
        advice:
            "The shared directory cannot be read or written; changes are safe on this device, and are shared when this "
            + "is possible again. Make room, check permissions, or mount it.")
    /// The local state is a copy of another device's state, or was restored to an earlier one. It now has its own replica ID;
    /// nothing is lost.
    public static let copiedState = Self(
        name: "copiedState",
        advice: "The local state is a copy. It now has its own replica ID; nothing is lost.")
    /// The code `unusedFile`, if a file is used in part.
    static let partlyUsedFile = Self(
        name: unusedFile.name,
        advice:
            "The intact lines of the file are used; the others change no value. The device that wrote the file writes it "
            + "again.")
    /// A file in the shared directory cannot be used, or cannot be used yet. If it is damaged, its intact lines are used.
    public static let unusedFile = Self(
        name: "unusedFile", advice: "A file in the shared directory is not used; the others are.")
}
