/// The statements that put a row with certain columns into a table.
final class Insertion {
    private let table: String
    private let isASCII: Bool
    private let columns: [String]
    /// Inserts a new row.
    let plain: KeptStatement
    /// Replaces the row with the same primary key.
    let replacing: KeptStatement
    /// Updates the row with the same primary key, which keeps its other columns; nil if there are none. The values are those at
    /// `otherPositions`, followed by those at `keyPositions`.
    let update: KeptStatement?
    /// The positions in `columns` of the columns of the table's primary key; nil if one is missing, or there is none.
    let keyPositions: [Int]?
    let otherPositions: [Int]

    init(into table: String, _ columns: [String], of all: [TableDescription.Column]) {
        self.table = table
        isASCII = table.utf8.allSatisfy { $0 < 0x80 }
        self.columns = columns
        let (table, names) = (Identifier.quoted(table), columns.map(Identifier.quoted))
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let insert =
            "INSERT INTO \(table) "
            + (columns.isEmpty ? "DEFAULT VALUES" : "(\(names.joined(separator: ", "))) VALUES (\(marks))")

        plain = KeptStatement(insert)
        let key = all.filter { $0.primaryKeyPosition > 0 }
        let positions = key.compactMap { column in columns.firstIndex { Identifier.areSame($0, column.name) } }
        let others = columns.indices.filter { !positions.contains($0) }
        keyPositions = key.isEmpty || positions.count < key.count ? nil : positions
        otherPositions = others

        let excluded = others.map { "\(names[$0]) = excluded.\(names[$0])" }.joined(separator: ", ")
        let conflict = positions.map { names[$0] }.joined(separator: ", ")
        replacing = KeptStatement(
            "\(insert) ON CONFLICT (\(conflict)) DO \(others.isEmpty ? "NOTHING" : "UPDATE SET \(excluded)")")
        // SQLite checks the constraints of a new row before it looks for the old one, which may have values for columns that are
        // missing here.
        let isPartial = columns.count < all.count && !others.isEmpty
        let change = others.map { "\(names[$0]) = ?" }.joined(separator: ", ")
        let isSame = positions.map { "\(names[$0]) = ?" }.joined(separator: " AND ")
        update = isPartial ? KeptStatement("UPDATE \(table) SET \(change) WHERE \(isSame)") : nil
    }

    /// Whether the table has this name, with the same bytes.
    private func isSame(_ table: String) -> Bool {
        // Names with other bytes that are equal in ASCII are longer.
        if isASCII { return self.table == table && self.table.utf8.count == table.utf8.count }
        return self.table.hasSameBytes(as: table)
    }

    /// Whether the statements are for rows of a table with these columns.
    func isFor(_ table: String, _ entries: [SQLiteRow.Entry]) -> Bool {
        guard columns.count == entries.count, isSame(table) else { return false }
        for (column, entry) in zip(columns, entries) where column != entry.name { return false }
        return true
    }
}

/// SQL, and its statement after the first use.
final class KeptStatement {
    let sql: String
    private var prepared: Statement?

    init(_ sql: String) { self.sql = sql }

    func statement(on connection: Connection) throws -> Statement {
        if let prepared, !prepared.isInUse { return prepared }
        let statement = try connection.statement(sql)
        prepared = statement
        return statement
    }
}
