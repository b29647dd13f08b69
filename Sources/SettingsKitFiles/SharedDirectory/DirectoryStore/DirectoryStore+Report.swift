#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DirectoryStore {
    /// A device that shares the settings; more exactly, one local state on it.
    public struct Replica: Sendable, Hashable, Identifiable {
        /// The replica's ID, sixteen hexadecimal digits.
        public let id: String
        /// The device's name for people.
        public let deviceName: String
        /// When the replica last wrote its file, by its own clock. A time in the future is replaced by the present. A
        /// device that is in use writes its file at least once a day.
        public let lastSeen: Date
        /// The number of settings in the replica's files, including removed settings that are remembered.
        public let entryCount: Int
        /// Whether it is the replica of this store.
        public let isOwn: Bool
    }

    /// The last change of a setting.
    package struct LastChange: Sendable, Hashable {
        /// The replica that made the change, sixteen hexadecimal digits.
        package let replica: String
        /// The name of its device; nil if the directory has no file of it.
        package let deviceName: String?
        /// The time of the change, by the device's clock. 1970 for an imported value.
        package let date: Date
        /// Whether it is the replica of this store.
        package let isOwn: Bool
    }

    /// The problems in the shared directory, at the last reading.
    public struct Report: Sendable, Hashable {
        /// The problems with files in the directory, sorted by file name.
        public let problems: [Problem]
        /// Whether the replica's files must be written: they lack changes or news of other replicas' changes, one of them is
        /// missing or damaged, or they were not written for a day.
        public let hasUnexportedChanges: Bool
    }

    /// A problem with a file in the directory.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The kind of a problem. Later versions can add cases, so write a `default`.
        public enum Kind: Sendable, Hashable {
            /// Some lines of the file are damaged. The others are used.
            case damaged
            /// The file has fewer records than its first line says, or belongs to several files, one of which is
            /// missing. The rest may still arrive.
            case incomplete
            /// Some records have a name or a value that exceeds its limit. They are not used.
            case oversized
            /// Some records are more than a day in the future, so a clock must be wrong. They are used when they are
            /// due, or when a replica vouches for them.
            case heldBack
            /// The file is only in the cloud. It is read when the system has downloaded it.
            case pending
            /// The file is too large and is not read.
            case tooLarge
            /// A newer version of this library has written the file, and it is not read.
            case newerVersion
            /// The system refuses to read the file.
            case unreadable
            /// The file was not written for longer than removals are remembered. Removals may be kept because of it, because the
            /// device may return; ``DirectoryStore/Problem/recordCount`` is their number. If the device is gone for good, or the
            /// file is a copy that a syncer has left, delete the file.
            case abandoned
        }

        /// The file's name in the directory.
        public let file: String
        /// The kind of the problem.
        public let kind: Kind
        /// The number of affected records, or of removals for ``DirectoryStore/Problem/Kind/abandoned``. Nil if the
        /// problem affects the whole file.
        public let recordCount: Int?
        /// A description of the problem in a sentence or two, with what to do.
        public let description: String
    }
}
