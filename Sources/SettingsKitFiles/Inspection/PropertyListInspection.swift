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
    var journal: InspectedFile
    /// The contents of the journal; nil if it is missing or cannot be read.
    private var contents: JournalContents?
    /// The version of a journal that is newer than this library.
    private var newerJournal: JournalProblem?
    /// The files whose names begin like those of the property list's companions.
    var neighbors: [Neighbor] = []
    /// The permissions of the directory; nil if it is missing.
    var directory: FilePermissions?
    /// The symbolic link that leads nowhere; nil for none.
    var danglingLink: String?
    /// The paths of those files, and of the directory, with an attribute that prevents changes.
    var immutable: [String] = []
    /// The process that had the files locked during the whole inspection.
    var lockHolder: LockHolder?
    /// The user with whose rights the process runs.
    var user: UInt32
    /// The machine's time, in seconds since 1970.
    var now: Int64

    /// Whether there is neither a property list nor a journal.
    var isMissing: Bool {
        guard case .none = list.contents, case .none = journal.contents else { return false }
        return list.status == nil && journal.status == nil && danglingLink == nil
    }

    // MARK: Reading

    /// Reads the files.
    ///
    /// - Throws: The system's error if the symbolic links at the path cannot be followed.
    init(path: String, in fileSystem: any FileSystem, now: Int64) throws(SystemError) {
        let target = try WholeFile(path: path, fileSystem: fileSystem).resolvedPath()
        list = InspectedFile(
            path: target, in: fileSystem, limit: Int64(PropertyListLimits.fileSize), followingLink: true)
        journal = InspectedFile(
            path: FilesBeside.journal(target), in: fileSystem, limit: PropertyListLimits.journalSize,
            followingLink: false)
        if let bytes = journal.bytes {
            do {
                contents = try JournalContents(bytes) { start, id in
                    bytes.dropFirst(Int(clamping: start)).withUnsafeBytes {
                        JournalScanner.scan($0, from: start, of: id)
                    }
                }
            } catch {
                newerJournal = error as? JournalProblem
            }
        }
        user = fileSystem.user
        self.now = now
        if list.status == nil, try fileSystem.status(of: path, followingLink: false)?.kind == .link {
            danglingLink = path
        }
        let directory = WholeFile.split(target).directory
        immutable = [target, journal.path, FilesBeside.lock(target), directory].filter(fileSystem.isImmutable)
        lockHolder = Self.lastingHolder(of: FilesBeside.lock(target), in: fileSystem)
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
    }

    /// The process that has a lock, if it holds it for longer than a write takes.
    private static func lastingHolder(of path: String, in fileSystem: any FileSystem) -> LockHolder? {
        guard let holder = fileSystem.lockHolder(of: path) else { return nil }
        let end = Deadline(after: PropertyListTimings.reportedLockTime)
        while !end.hasPassed {
            ThreadPause.sleep(for: .milliseconds(10))
            guard fileSystem.lockHolder(of: path) == holder else { return nil }
        }
        return holder
    }

    private static func isBeside(_ name: String, _ target: String) -> Bool {
        let own = WholeFile.split(target).name
        let stem = CompanionName.stem(of: own)
        return name != own
            && (name.hasPrefix(stem) || name.hasPrefix(".\(stem).") || FilesBeside.isConflictCopy(name, of: own))
    }

    // MARK: Findings

    /// The problems, the property list's first. Pure; linear in the size of the files.
    var findings: [StoreFinding] {
        listFindings + removalFindings + journalFindings + obstacleFindings + neighborFindings
    }

    private var obstacleFindings: [StoreFinding] {
        var findings = immutable.map { path in
            StoreFinding(
                .immutable, at: path, "An attribute of the file keeps everyone from changing or replacing it.",
                advice: "Remove the attribute: chattr -i on Linux, chflags nouchg on macOS.")
        }
        if let lockHolder {
            let name = lockHolder.name.map { " (\($0))" } ?? ""
            findings.append(
                StoreFinding(
                    .journalLocked, at: journal.path,
                    "The process \(lockHolder.process)\(name) keeps the journal locked.",
                    advice: "Until it continues or ends, other processes cannot store changes."))
        }
        return findings
    }

    /// Whether the property list is missing although the journal belongs to an earlier one.
    var isListRemoved: Bool {
        guard list.status == nil, danglingLink == nil, let contents, let header = journalHeader else { return false }
        return header.restoreEnd > UInt64(JournalHeader.size) || header.base != 0 || contents.lastVersion != nil
    }

    private var removalFindings: [StoreFinding] {
        guard isListRemoved else { return [] }
        let previous = FilesBeside.previousName(list.path)
        let isKept = neighbors.contains { $0.name == previous }
        return [
            StoreFinding(
                .listRemoved, at: list.path, "The property list was removed, and its journal is still there.",
                advice:
                    "Restore the property list from a backup\(isKept ? ", or from \(previous), an earlier state" : ""). To "
                    + "begin without it, delete the journal, too.")
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
            let repeated = PropertyListReader.repeatedKeys(in: bytes)
            if repeated > 0 {
                findings.append(
                    StoreFinding(
                        .repeatedNames, at: list.path,
                        "\(repeated) of its keys are repeated in their dictionary; only the last value of each counts.",
                        advice: "Remove the others: the next program that writes does not keep them."))
            }
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
            case .notAPropertyList, .unsupportedEncoding, .rootIsNotADictionary, .notRepresentable:
                findings.append(recoverable(.notAPropertyList, at: list.path, "\(error)"))
            case .empty, .malformed, .truncated, .tooDeep, .tooLarge:
                findings.append(recoverable(.damaged, at: list.path, "\(error)"))
            }
        }
        return findings
    }

    /// The description of another program's file at the path. Nil if the file is a property list, or may be a damaged one: it
    /// begins like one, is empty, or has a journal beside it.
    var foreignFile: String? {
        guard let bytes = list.bytes, journalHeader == nil, JournalMark.read(bytes) == nil else { return nil }
        if let format = OtherFormat(of: bytes) { return "The file is \(format.name)." }
        do throws(PropertyListError) {
            _ = try PropertyListReader.readDictionary(bytes)
            return nil
        } catch {
            switch error.kind {
            case .empty: return nil
            case .notAPropertyList, .unsupportedEncoding, .rootIsNotADictionary, .notRepresentable: return "\(error)"
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

    // MARK: The journal

    /// The header of the journal, unless it is damaged.
    private var journalHeader: JournalHeader? {
        journal.bytes.flatMap { bytes in
            if case .intact(let header) = bytes.withUnsafeBytes(JournalHeader.read) { header } else { nil }
        }
    }

    private var journalFindings: [StoreFinding] {
        guard let status = journal.status else { return journal.findings(what: "The journal", now: now) }
        let protection = JournalProtection(list: list.status?.permissions, user: user)
        var problem: JournalProblem?
        do throws(SystemError) {
            problem = try status.kind == .link ? .symbolicLink : protection.problem(with: status) { directory }
        } catch {
            problem = .unreadable(error)
        }
        if let problem {
            return [
                StoreFinding(
                    .journalRefused, at: journal.path, problem.description,
                    advice: "Until then, changes cannot be stored.")
            ]
        }
        guard journal.bytes != nil else { return journal.findings(what: "The journal", now: now) }
        var findings: [StoreFinding] = []
        if protection.isReadByMore(status.permissions) {
            findings.append(
                StoreFinding(
                    .journalReadableByMore, at: journal.path, "More users can read the journal than the property list.",
                    advice: "The next program that writes replaces it."))
        }
        return findings + recordFindings
    }

    private var recordFindings: [StoreFinding] {
        if let newerJournal {
            return [
                StoreFinding(
                    .journalNewer, at: journal.path, newerJournal.description,
                    advice: "Nothing is read or written until then.")
            ]
        }
        guard let contents else { return [] }
        var findings: [StoreFinding] = []
        if contents.isDamaged {
            let places = contents.scan.damaged.count + (contents.scan.rest == .damaged ? 1 : 0)
            findings.append(
                recoverable(
                    .journalDamaged, at: journal.path,
                    "The journal is damaged in \(max(places, 1)) places; \(contents.records.count) of its records are intact."
                ))
        } else if contents.scan.rest == .incomplete {
            findings.append(
                recoverable(
                    .journalTornEnd, at: journal.path,
                    "The journal ends with a part of a record: a process that wrote it has died, or is writing now."))
        }
        switch contents.relation(to: list.bytes.flatMap(JournalMark.read), of: list.status) {
        case .continues, .isFolded, nil: break
        case .isForeign: findings.append(recoverable(.journalForeign, at: journal.path, "\(JournalProblem.foreign)"))
        case .isStale: findings.append(recoverable(.journalStale, at: journal.path, "\(JournalProblem.stale)"))
        case .listIsStale: findings.append(recoverable(.listStale, at: list.path, "\(JournalProblem.listIsStale)"))
        }
        return findings
    }

    // MARK: Neighbors

    private var neighborFindings: [StoreFinding] {
        let (directory, name) = WholeFile.split(list.path)
        return neighbors.compactMap { neighbor in
            let path = WholeFile.join(directory, neighbor.name)
            if WholeFile.isTemporary(neighbor.name, of: name) {
                guard neighbor.status.changed.seconds < now - PropertyListTimings.temporaryAge else { return nil }
                return StoreFinding(
                    .temporary, at: path, "A temporary file was left by a process that died.",
                    advice: "All of its settings are also elsewhere. The next program that writes removes it.")
            }
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
    /// - Returns: nil if there is neither a property list nor a journal.
    /// - Throws: The system's error if the symbolic links at the path cannot be followed.
    package static func findings(
        path: String, now: Int64 = Int64(Date().timeIntervalSince1970)
    ) throws(SystemError) -> [StoreFinding]? {
        let inspection = try PropertyListInspection(path: path, in: POSIXFileSystem(), now: now)
        return inspection.isMissing ? nil : inspection.findings
    }
}
