import SettingsKitPlatform

/// The beginning of a journal: its header, and the records that it begins with.
///
/// These are the record that restores a damaged property list; the property list's state; and the changes that it lacks.
struct JournalBeginning: Sendable {
    /// The header, without the ends of the records.
    private let header: JournalHeader
    private let restore: JournalRecord?
    /// The property list's intact state. Nil if it is missing or damaged.
    private let version: FileVersion?
    private let changes: [JournalRecord]
    /// The end of the changes that are repeated, in the history of journals.
    let position: Int64

    /// - Parameters:
    ///   - header: The header, without the ends of the records.
    ///   - restore: The record that restores the property list. Nil for none.
    ///   - list: The property list.
    ///   - contents: The values in memory.
    ///   - position: The end of the changes in memory, in the history of journals.
    init(
        _ header: JournalHeader, restore: JournalRecord?, _ list: KnownPropertyList, _ contents: PublishedContents,
        upTo position: Int64
    ) {
        (self.header, self.restore, self.position) = (header, restore, position)
        version = list.intactVersion
        changes = Self.records(repeating: contents, after: list.folded)
    }

    /// Whether there are changes that the property list lacks.
    var repeatsChanges: Bool { !changes.isEmpty }

    /// Whether a journal with this beginning can still replace another one: it follows that one, and the property list is the same.
    func continues(_ journal: Journal, _ list: KnownPropertyList) -> Bool {
        header.predecessor == journal.header?.id && header.mustBeRead == journal.mustBeRead(with: list)
            && header.base == list.mark?.journal ?? 0 && header.baseOffset == list.mark?.offset ?? 0
            && version == list.intactVersion
    }

    /// Returns the header and the bytes. Takes a time in proportion to their number.
    func encode() -> (header: JournalHeader, bytes: [UInt8]) {
        var header = header
        var bytes = [UInt8](repeating: 0, count: JournalHeader.size)
        func append(_ record: JournalRecord) {
            JournalFrame.append(record, at: JournalPlace(journal: header.id, offset: UInt64(bytes.count)), to: &bytes)
        }
        if let restore { append(restore) }
        header.restoreEnd = UInt64(bytes.count)
        if let version { append(.fold(through: header.restoreEnd, file: version)) }
        for change in changes { append(change) }
        header.carriedEnd = UInt64(bytes.count)
        var start: [UInt8] = []
        header.append(to: &start)
        bytes.replaceSubrange(..<JournalHeader.size, with: start)
        return (header, bytes)
    }

    /// Returns records that repeat the changes after a position in the history of journals.
    static func records(repeating contents: PublishedContents, after position: Int64) -> [JournalRecord] {
        let (changes, members) = contents.withLock { $0.unfoldedChanges(folded: position) }
        var records: [JournalRecord] = []
        if !changes.isEmpty { records.append(.changes(changes)) }
        if !members.isEmpty { records.append(record(setting: members)) }
        return records
    }

    /// The record that sets members with their types, or only with their bytes if they cannot be a property list.
    private static func record(setting members: [PropertyListMember]) -> JournalRecord {
        do throws(PropertyListError) {
            return .members(JournalEdit(removed: [], members: try XMLPropertyListWriter.write(members)))
        } catch {
            return .changes(members.map { JournalChange(name: $0.key, data: NativeValue.bytes(of: $0.value)) })
        }
    }
}
