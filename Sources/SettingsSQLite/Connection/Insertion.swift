/// The statements that put a row with certain columns into a table.
final class Insertion {
    private let table: String
    private let columns: [String]
    /// Inserts a new row.
    let plain: Statement
    /// Replaces the row with the same primary key; nil if the table has none, or a column of it is missing.
    let replacing: Statement?
    /// Updates the row with the same primary key, which keeps its other columns; nil if there are none. The values are those at
    /// `updatePositions`.
    let update: Statement?
    /// The positions in `columns` of the columns of the table's primary key.
    let keyPositions: [Int]
    let updatePositions: [Int]

    init(into table: String, _ columns: [String], on connection: Connection) throws {
        self.table = table
        self.columns = columns
        let all = try TableDescription(of: table, on: connection)?.columns ?? []
        let key = all.filter { $0.primaryKeyPosition > 0 }
        let positions = key.compactMap { column in columns.firstIndex { Identifier.areSame($0, column.name) } }
        let others = columns.indices.filter { !positions.contains($0) }
        keyPositions = positions
        updatePositions = others + positions

        let (table, names) = (Identifier.quoted(table), columns.map(Identifier.quoted))
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let insert =
            "INSERT INTO \(table) "
            + (columns.isEmpty ? "DEFAULT VALUES" : "(\(names.joined(separator: ", "))) VALUES (\(marks))")
        plain = try connection.statement(insert)
        guard !key.isEmpty, positions.count == key.count else {
            (replacing, update) = (nil, nil)
            return
        }
        let excluded = others.map { "\(names[$0]) = excluded.\(names[$0])" }.joined(separator: ", ")
        let conflict = positions.map { names[$0] }.joined(separator: ", ")
        replacing = try connection.statement(
            "\(insert) ON CONFLICT (\(conflict)) DO \(others.isEmpty ? "NOTHING" : "UPDATE SET \(excluded)")")
        // SQLite checks the constraints of a new row before it looks for the old one, which may have values for columns that are
        // missing here.
        let isPartial = columns.count < all.count && !others.isEmpty
        let change = others.map { "\(names[$0]) = ?" }.joined(separator: ", ")
        let isSame = positions.map { "\(names[$0]) = ?" }.joined(separator: " AND ")
        update = isPartial ? try connection.statement("UPDATE \(table) SET \(change) WHERE \(isSame)") : nil
    }

    /// Whether the statements are for rows of a table with these columns.
    func isFor(_ table: String, _ entries: [SQLiteRow.Entry]) -> Bool {
        guard columns.count == entries.count, self.table.hasSameBytes(as: table) else { return false }
        for (column, entry) in zip(columns, entries) where column != entry.name { return false }
        return true
    }
}
