import SettingsKitPlatform

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
        /// When the replica last changed a setting, by its own clock; 1970 if it has changed none. A time in the future is replaced
        /// by the present.
        public let lastSeen: Date
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
        /// Whether the replica's file must be written: it lacks changes, is missing, or was changed by another program. Always false
        /// for a store that only reads.
        public let hasUnexportedChanges: Bool
    }

    /// A problem with a file in the directory.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The kind of a problem. Later versions can add cases, so write a `default`.
        public enum Kind: Sendable, Hashable {
            /// Some lines of the file are damaged. The others are used.
            case damaged
            /// The file is only in the cloud. It is read when the system has downloaded it.
            case pending
            /// The file is too large and is not read.
            case tooLarge
            /// A newer version of this library has written the file, and it is not read.
            case newerVersion
            /// The system refuses to read the file.
            case unreadable
        }

        /// The file's name in the directory.
        public let file: String
        /// The kind of the problem.
        public let kind: Kind
        /// A description of the problem in a sentence or two, with what to do.
        public let description: String
    }
}

extension DirectoryStore.Problem {
    /// - Returns: Nil if the problem does not concern a file.
    fileprivate init?(_ problem: ReplicaProblem, file: String) {
        switch problem {
        case .damagedFile: kind = .damaged
        case .notDelivered: kind = .pending
        case .tooLarge: kind = .tooLarge
        case .newerFile: kind = .newerVersion
        case .unreadable: kind = .unreadable
        case .tooManyFiles, .tooMuch, .noTimeLeft, .copiedState, .missingDirectory, .stateInDirectory: return nil
        }
        self.file = file
        description = problem.description
    }
}

extension DirectoryStore.Replica {
    /// Lists the replicas of a state and of the files in a directory: the own one first, then by the names of the devices, then by
    /// their IDs. Linear time.
    static func list(
        _ contents: LogContents, _ files: some Sequence<SeenFile>, now: Int64
    ) -> [DirectoryStore.Replica] {
        var replicas: [UInt64: LogReplica] = [:]
        var lastChanges: [UInt64: Int64] = [:]
        for summary in files.compactMap(\.summary) {
            if let replica = summary.replica { replicas[replica.id] = replica }
            lastChanges.merge(summary.lastChanges, uniquingKeysWith: max)
        }
        if let own = contents.replica {
            replicas[own.id] = own
            let own = contents.entries.values.compactMap(\.stamp).filter { $0.replica == own.id }
            lastChanges.merge(own.map { ($0.replica, $0.milliseconds) }, uniquingKeysWith: max)
        }
        return replicas.values.map { replica in
            let date = Date(milliseconds: min(lastChanges[replica.id] ?? 0, now))
            return DirectoryStore.Replica(
                id: replica.id.hexDigits, deviceName: replica.device, lastSeen: date,
                isOwn: replica.id == contents.replica?.id)
        }.sorted { ($0.isOwn ? 0 : 1, $0.deviceName, $0.id) < ($1.isOwn ? 0 : 1, $1.deviceName, $1.id) }
    }
}

extension Date {
    /// - Parameter milliseconds: Since 1970.
    fileprivate init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}

extension ReplicatedDirectory {
    var replicas: [DirectoryStore.Replica] {
        log.withContents { DirectoryStore.Replica.list($0, folder.files.values, now: now()) }
    }

    /// Returns the last change of a value. Nil if there is none.
    func lastChange(of name: String) -> DirectoryStore.LastChange? {
        let (entry, own) = log.withContents { ($0.entries[name], $0.replica?.id) }
        guard let stamp = entry?.stamp, entry?.data != nil else { return nil }
        let id = stamp.replica.hexDigits
        return DirectoryStore.LastChange(
            replica: id, deviceName: replicas.first { $0.id == id }?.deviceName,
            date: Date(milliseconds: stamp.milliseconds), isOwn: stamp.replica == own)
    }

    /// The problems with files in the directory, at the last reading.
    var report: DirectoryStore.Report {
        let problems = folder.files.compactMap { name, file in
            file.problem(named: name).flatMap { DirectoryStore.Problem($0, file: name) }
        }
        return DirectoryStore.Report(
            problems: problems.sorted { $0.file < $1.file }, hasUnexportedChanges: lacksChanges)
    }
}
