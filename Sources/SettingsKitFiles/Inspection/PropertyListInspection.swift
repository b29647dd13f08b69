import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of a property list and beside it, and their problems. Nothing is locked or written.
struct PropertyListInspection: Sendable {
    /// A file in the directory.
    struct Neighbor: Sendable {
        var name: String
        var status: FileStatus
    }

    /// The property list, with symbolic links followed.
    var list: InspectedFile
    var log: InspectedFile
    /// The reason why a store refuses the log.
    private var refusal: LogProblem?
    /// What the log says; nil if it is missing or cannot be read.
    private var contents: LogContents?
    /// The numbers of intact lines and of damaged ones.
    private var lineCounts = (intact: 0, damaged: 0)
    private var hasTornEnd = false
    /// The files whose names begin like those of the property list's companions.
    var neighbors: [Neighbor] = []
    /// The permissions of the directory; nil if it is missing.
    var directory: FilePermissions?
    /// The symbolic link that leads nowhere; nil for none.
    var danglingLink: String?
    /// The machine's time, in seconds since 1970.
    var now: Int64

    /// Whether there is neither a property list nor a log.
    var isMissing: Bool {
        guard case .none = list.contents, case .none = log.contents else { return false }
        return list.status == nil && log.status == nil && danglingLink == nil
    }

    // MARK: Reading

    /// Reads the files.
    ///
    /// - Throws: The system's error if the symbolic links at the path cannot be followed.
    init(path: String, in fileSystem: any FileSystem, now: Int64) throws(SystemError) {
        let target = try WholeFile(path: path, fileSystem: fileSystem).resolvedPath()
        list = InspectedFile(
            path: target, in: fileSystem, limit: Int64(PropertyListLimits.fileSize), followingLink: true)
        log = InspectedFile(path: target + "-log", in: fileSystem, limit: LogLimits.size, followingLink: false)
        self.now = now
        if list.status == nil, try fileSystem.status(of: path, followingLink: false)?.kind == .link {
            danglingLink = path
        }
        let directory = WholeFile.split(target).directory
        do throws(SystemError) {
            guard let status = try fileSystem.status(of: directory, followingLink: true) else { return }
            self.directory = status.permissions
            guard status.kind == .directory else { return }
            for name in try fileSystem.names(inDirectory: directory) where Self.isBeside(name, target) {
                let path = WholeFile.join(directory, name)
                guard let status = try fileSystem.status(of: path, followingLink: false) else { continue }
                neighbors.append(Neighbor(name: name, status: status))
            }
            neighbors.sort { $0.name < $1.name }
        } catch {
            // An unreadable directory is reported when the property list is read. It may have neighbors nevertheless.
        }
        readLog(user: fileSystem.user)
    }

    private mutating func readLog(user: UInt32) {
        guard let status = log.status else { return }
        refusal = LogFile.problem(
            with: status, list: list.status?.permissions, directory: directory, user: user)
        guard refusal == nil, let bytes = log.bytes.map({ Array($0) }) else { return }
        var contents = LogContents()
        let end = LogLineReader.read(bytes) { line, end in
            if line == .damaged { lineCounts.damaged += 1 } else { lineCounts.intact += 1 }
            _ = contents.apply(line, end: Int64(end))
        }
        if lineCounts.intact == 0, LogLineReader.beginning(of: bytes) == .foreign { refusal = .foreign }
        if let version = contents.newerVersion { refusal = .newerVersion(version) }
        hasTornEnd = end < bytes.count
        self.contents = contents
    }

    private static func isBeside(_ name: String, _ target: String) -> Bool {
        let own = WholeFile.split(target).name
        return name != own && (name.hasPrefix(own) || FilesBeside.isConflictCopy(name, of: own))
    }

    // MARK: Findings

    /// The problems, the property list's first. Pure; linear in the size of the files.
    var findings: [StoreFinding] {
        listFindings + removalFindings + logFindings + neighborFindings
    }

    /// Whether the property list is missing although the log knows one.
    var isListRemoved: Bool { list.status == nil && danglingLink == nil && contents?.list != nil }

    private var removalFindings: [StoreFinding] {
        guard isListRemoved else { return [] }
        return [
            StoreFinding(
                .listRemoved, at: list.path, "The property list was removed, and its log is still there.",
                advice:
                    "Restore the property list from a backup to keep its settings. The next program that opens it resets "
                    + "them, and keeps a copy of the log.")
        ]
    }

    private func recoverable(
        _ kind: StoreFinding.Kind, at path: String, _ message: String
    ) -> StoreFinding {
        StoreFinding(
            kind, at: path, message, advice: "The next program that writes repairs it, and keeps a damaged file aside.")
    }

    private var listFindings: [StoreFinding] {
        if let danglingLink {
            return [
                StoreFinding(
                    .danglingLink, at: danglingLink, "The path is a symbolic link that leads to nothing.",
                    advice: "Remove the link, or restore what it leads to: a program that writes creates it there.")
            ]
        }
        var findings = list.findings(what: "The property list", now: now)
        guard let bytes = list.bytes else { return findings }
        do throws(PropertyListError) {
            let members = try PropertyListReader.readDictionary(bytes)
            let unusable = members.count { !SettingsService.StorageKey.isValid($0.key) }
            if unusable > 0 {
                findings.append(
                    StoreFinding(
                        .unusableNames, .note, at: list.path, "\(unusable) of its names can be no setting's.",
                        advice: "They are kept but not used."))
            }
        } catch {
            if let foreignFile {
                // The store does not replace it.
                findings.append(
                    StoreFinding(
                        .foreignFile, at: list.path, foreignFile, advice: "Restore it from a backup, or move it away."))
                return findings
            }
            switch error.kind {
            case .notAPropertyList, .unsupportedVersion, .rootIsNotADictionary, .notRepresentable:
                findings.append(recoverable(.notAPropertyList, at: list.path, "\(error)"))
            case .empty, .malformed, .truncated, .tooDeep, .tooLarge:
                findings.append(recoverable(.damaged, at: list.path, "\(error)"))
            }
        }
        return findings
    }

    /// The description of another program's file at the path. Nil if the file is a property list, or may be a damaged one: it
    /// begins like one, is empty, or has a log beside it.
    var foreignFile: String? {
        guard let bytes = list.bytes, contents == nil else { return nil }
        if let format = OtherFormat(of: bytes) { return "The file is \(format.name)." }
        do throws(PropertyListError) {
            _ = try PropertyListReader.readDictionary(bytes)
            return nil
        } catch {
            switch error.kind {
            case .empty: return nil
            case .notAPropertyList, .unsupportedVersion, .rootIsNotADictionary, .notRepresentable: return "\(error)"
            case .malformed, .truncated, .tooDeep, .tooLarge:
                return Self.isLikePropertyList(bytes) ? nil : "\(PropertyListError(.notAPropertyList))"
            }
        }
    }

    /// Whether a file begins like a property list, whatever follows.
    private static func isLikePropertyList(_ bytes: Data) -> Bool {
        let beginning = String(decoding: bytes.prefix(4_096).filter { $0 != 0 }, as: UTF8.self)
        return ["bplist", "<plist", "<!DOCTYPE plist", "<dict"].contains(where: beginning.contains)
    }

    // MARK: The log

    private var logFindings: [StoreFinding] {
        if let refusal {
            let isNewer = if case .newerVersion = refusal { true } else { false }
            return [
                StoreFinding(
                    isNewer ? .logNewer : .logRefused, at: log.path, refusal.description,
                    advice: "Until then, changes cannot be stored.")
            ]
        }
        guard let contents else { return log.findings(what: "The log", now: now) }
        var findings: [StoreFinding] = []
        if let list = list.status?.permissions, log.status?.permissions.isWider(than: list) == true {
            findings.append(
                StoreFinding(
                    .logReadableByMore, at: log.path, "More users can use the log than the property list.",
                    advice: "The next program that writes replaces it."))
        }
        if contents.isDamaged || !contents.hasBeginning {
            findings.append(
                recoverable(
                    .logDamaged, at: log.path,
                    "The log is damaged in \(max(lineCounts.damaged, 1)) places; \(lineCounts.intact) of its lines are intact."
                ))
        } else if hasTornEnd {
            findings.append(
                recoverable(
                    .logTornEnd, at: log.path,
                    "The log ends with a part of a line: a process that wrote it has died, or is writing now."))
        }
        return findings
    }

    // MARK: Neighbors

    private var neighborFindings: [StoreFinding] {
        let (directory, name) = WholeFile.split(list.path)
        return neighbors.compactMap { neighbor in
            let path = WholeFile.join(directory, neighbor.name)
            if let reason = FilesBeside.asideReason(of: neighbor.name, list.path) {
                return StoreFinding(
                    .keptAside, .note, at: path, "A file was kept aside because it was \(reason.rawValue).",
                    advice: "Compare it with the store, and delete it when it is not needed.")
            }
            if FilesBeside.isConflictCopy(neighbor.name, of: name) {
                return StoreFinding(
                    .conflictCopy, .note, at: path, "A syncer has left a copy of the property list.",
                    advice: "It is not used. Compare it with settings diff, and delete it when it is not needed.")
            }
            return nil
        }
    }
}

extension PropertyListStore {
    /// Returns the findings about a property list and the files beside it. Nothing is locked or written.
    ///
    /// - Parameter now: The machine's time, in seconds since 1970.
    /// - Returns: nil if there is neither a property list nor a log.
    /// - Throws: The system's error if the symbolic links at the path cannot be followed.
    package static func findings(
        path: String, now: Int64 = Int64(Date().timeIntervalSince1970)
    ) throws(SystemError) -> [StoreFinding]? {
        let inspection = try PropertyListInspection(path: path, in: POSIXFileSystem(), now: now)
        return inspection.isMissing ? nil : inspection.findings
    }
}
