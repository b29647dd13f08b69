#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DirectoryStore {
    /// A device that shares the settings, or rather one local state on it.
    public struct Replica: Sendable, Hashable, Identifiable {
        /// What tells it from all others, sixteen hexadecimal digits.
        public let id: String
        /// What people call the device.
        public let deviceName: String
        /// When it last wrote its file, by its own clock, but never in the future. A device that is used writes its file at
        /// least once a day.
        public let lastSeen: Date
        /// How many settings are in its files, those included that were removed and are remembered.
        public let entryCount: Int
        /// Whether it is this one.
        public let isOwn: Bool
    }

    /// What is not as it should be.
    public struct Report: Sendable, Hashable {
        /// What was found in the directory, by the names of the files.
        public let problems: [Problem]
        /// Whether the replica's files are to be written: they lack something that was changed here, one of them is
        /// missing or damaged, or they were not written for a day.
        public let hasUnexportedChanges: Bool
    }

    /// Something that is wrong with a file in the directory.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// What it is. More may come: have a `default`.
        public enum Kind: Sendable, Hashable {
            /// Some of its records are not intact; the others are used.
            case damaged
            /// It has fewer records than it should, or belongs to several files, one of which is not there; the rest may
            /// still arrive.
            case incomplete
            /// Some of its records have a larger name or value than is allowed; they are not used.
            case oversized
            /// Some records are from so far in the future that a clock must be wrong. They are used when they are due.
            case heldBack
            /// It is in the cloud only, and not read before it was brought.
            case pending
            /// It is too large to be read.
            case tooLarge
            /// A newer version of this library has written it.
            case newerVersion
            /// The system does not let it be read.
            case unreadable
            /// It was not written for longer than removals are remembered. Removals are kept because of it, as the device may
            /// return. If the device is gone for good, or the file is a copy that a syncer has left, delete the file.
            case abandoned
        }

        /// The file's name in the directory.
        public let file: String
        /// What it is.
        public let kind: Kind
        /// How many records are concerned; nil where it is the file as a whole.
        public let recordCount: Int?
        /// A sentence for people.
        public let description: String
    }
}
