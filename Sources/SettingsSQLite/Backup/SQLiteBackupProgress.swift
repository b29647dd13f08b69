/// The progress of ``SQLiteStorage/backup(to:progress:)``.
public struct SQLiteBackupProgress: Sendable, Hashable {
    /// The number of pages of the database.
    public let pageCount: Int
    /// The number of pages that were copied.
    public let copiedPageCount: Int

    /// The copied part of the pages, from 0 to 1.
    public var fractionCompleted: Double { pageCount == 0 ? 1 : Double(copiedPageCount) / Double(pageCount) }
}
