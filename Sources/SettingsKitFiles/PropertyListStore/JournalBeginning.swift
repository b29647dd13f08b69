import SettingsKitPlatform

/// The first bytes of a journal: its header, and the records that it begins with.
///
/// These are the record that restores a damaged property list; the property list's state; and the changes that it lacks.
struct JournalBeginning {
    private(set) var header: JournalHeader
    private var records: [UInt8] = []
    /// Whether there are changes that the property list lacks.
    private(set) var repeatsChanges = false

    /// - Parameters:
    ///   - header: The header, without the ends of the records.
    ///   - restore: The record that restores the property list. Nil for none.
    ///   - list: The property list.
    ///   - contents: The values in memory.
    init(
        _ header: JournalHeader, restore: JournalRecord?, _ list: KnownPropertyList, _ contents: PublishedContents
    ) {
        self.header = header
        if let restore { append(restore) }
        self.header.restoreEnd = end
        if let version = list.intactVersion { append(.fold(through: end, file: version)) }
        let carried = contents.withLock { $0.unfoldedChanges(folded: list.folded) }
        repeatsChanges = !carried.changes.isEmpty || !carried.members.isEmpty
        if !carried.changes.isEmpty { append(.changes(carried.changes)) }
        if !carried.members.isEmpty { append(Self.record(setting: carried.members)) }
        self.header.carriedEnd = end
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(JournalHeader.size + records.count)
        header.append(to: &bytes)
        return bytes + records
    }

    private var end: UInt64 { UInt64(JournalHeader.size + records.count) }

    private mutating func append(_ record: JournalRecord) {
        JournalFrame.append(record, at: JournalPlace(journal: header.id, offset: end), to: &records)
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
