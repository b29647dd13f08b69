import SettingsKitCore
import SettingsKitPlatform

/// A problem with the files of a shared store. Its description names the file, and never contains a value.
enum ReplicaProblem: ValueFreeError, Equatable {
    case newerState(Int)
    case newerFile(String, version: Int)
    case damagedFile(String, intact: Int, damaged: Int)
    case incompleteFile(String, present: Int, all: Int)
    case missingPart(String, Int)
    case oversizedRecords(String, records: Int)
    case tooLarge(String)
    case tooManyFiles(Int)
    case notDelivered(String)
    case unreadable(String, SystemError)
    case valueTooLarge
    case tooMuch
    case clockAhead(String, records: Int)
    case copiedState
    case returned(String, records: Int)
    case missingDirectory(String)
    case noFreeName
    case stateInDirectory
    case otherDirectory(String)
    case abandoned(String, written: Int64, removals: Int)

    /// The code of the error that reports the problem.
    var code: SettingsError.Code {
        switch self {
        case .damagedFile, .incompleteFile, .missingPart, .oversizedRecords: .partlyUsedFile
        case .clockAhead: .heldBack
        case .copiedState: .copiedState
        case .returned: .valuesReturned
        case .newerFile, .tooLarge, .tooManyFiles, .notDelivered, .unreadable, .abandoned: .unusedFile
        case .newerState, .stateInDirectory, .otherDirectory: .storeUnavailable
        case .missingDirectory, .noFreeName, .tooMuch: .notExported
        case .valueTooLarge: .writeFailed
        }
    }

    var description: String {
        switch self {
        case .newerState(let format):
            "The local state was written by a newer version of SettingsKit (format \(format)); update this program."
        case .newerFile(let file, let version):
            "\(file) was written by a newer version of SettingsKit (format \(version)); update this program to read it."
        case .damagedFile(let file, let intact, let damaged):
            "\(file) is damaged: \(intact) of its lines are intact and used, \(damaged) are not."
        case .incompleteFile(let file, let present, let all):
            "\(file) is not complete: it has \(present) of \(all) records. They are used; the rest may still arrive."
        case .missingPart(let file, let part):
            "\(file) belongs to several files, of which part \(part) is not there or not intact. What is there is used; the "
                + "rest may still arrive."
        case .oversizedRecords(let file, let records):
            "\(records) records in \(file) have a name of more than \(DirectoryLimits.name >> 20) MiB or a value of more than "
                + "\(DirectoryLimits.value >> 20) MiB. They are not used, and not passed on."
        case .tooLarge(let file):
            "\(file) is larger than \(DirectoryLimits.fileSize >> 20) MiB and was not read."
        case .tooManyFiles(let count):
            "The directory has \(count) files; only the first ones were read."
        case .notDelivered(let file):
            "\(file) is in the cloud only; it is read once it is downloaded."
        case .unreadable(let file, let error):
            "\(file) cannot be read: \(error)"
        case .valueTooLarge:
            "The value is larger than \(DirectoryLimits.value >> 20) MiB, or the name than \(DirectoryLimits.name >> 20) MiB: "
                + "a shared store does not store it."
        case .tooMuch:
            "The settings are larger than the \(DirectoryLimits.fileSize >> 20) MiB that can be shared; remove some."
        case .clockAhead(let file, let records):
            "\(records) records in \(file) are more than a day in the future: a device's clock is wrong. They are used when "
                + "they are due, or when a replica vouches for them."
        case .copiedState:
            "Another device, or an earlier one, has written under this replica's ID: the local state is a copy. This one "
                + "has a new ID now."
        case .returned(let file, let records):
            "\(file) has \(records) values that are older than the removals that are remembered; they were taken over, and "
                + "may include some that were removed."
        case .missingDirectory(let directory):
            "\(directory) and its parent directory are missing; is the volume mounted?"
        case .stateInDirectory:
            "The local state is inside the shared directory and would be carried to other devices. Put it elsewhere."
        case .otherDirectory(let directory):
            "The local state belongs to \(directory), which has this replica's file. Use one state for each shared directory, "
                + "or remove the replica's files from it if this directory has replaced it."
        case .abandoned(let file, let written, let removals):
            "\(file) was last written at \(InstantText.text(written))"
                + (removals > 0 ? ", and \(removals) removals are remembered because of it" : "")
                + ". If its device is gone for good, delete all files "
                + "with the same ID in their names; if the file is a copy that a syncer has left, delete it."
        case .noFreeName:
            "All names for the replica's file are taken by other files."
        }
    }
}
