/// The SQL that puts a row with certain columns into a table.
struct Insertion {
    let columns: [String]
    /// As a new row.
    let plain: String
    /// In the place of the row with the same primary key.
    let replacing: String
    /// Into the row with the same primary key, which keeps what it has in other columns; nil where there are none. The values
    /// are those at `otherPositions`, and then those at `keyPositions`.
    let update: String?
    /// Where the columns of the table's primary key are among `columns`; nil if one is missing, or there is none.
    let keyPositions: [Int]?
    let otherPositions: [Int]

    init(into table: String, _ columns: [String], of all: [TableDescription.Column]) {
        self.columns = columns
        let (table, names) = (Identifier.quoted(table), columns.map(Identifier.quoted))
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        plain =
            "INSERT INTO \(table) "
            + (columns.isEmpty ? "DEFAULT VALUES" : "(\(names.joined(separator: ", "))) VALUES (\(marks))")

        let key = all.filter { $0.primaryKeyPosition > 0 }
        let positions = key.compactMap { column in columns.firstIndex { Identifier.areSame($0, column.name) } }
        let others = columns.indices.filter { !positions.contains($0) }
        keyPositions = key.isEmpty || positions.count < key.count ? nil : positions
        otherPositions = others

        let change = others.map { "\(names[$0]) = excluded.\(names[$0])" }.joined(separator: ", ")
        let conflict = positions.map { names[$0] }.joined(separator: ", ")
        replacing = "\(plain) ON CONFLICT (\(conflict)) DO \(others.isEmpty ? "NOTHING" : "UPDATE SET \(change)")"
        // SQLite looks at what a new row must hold before it looks for the old one, which may hold what is left out here.
        let isPartial = columns.count < all.count && !others.isEmpty
        update =
            isPartial
            ? "UPDATE \(table) SET \(others.map { "\(names[$0]) = ?" }.joined(separator: ", ")) "
                + "WHERE \(positions.map { "\(names[$0]) = ?" }.joined(separator: " AND "))" : nil
    }
}
