/// The SQL that puts a row with certain columns into a table.
struct Insertion {
    let columns: [String]
    /// As a new row.
    let plain: String
    /// In the place of the row with the same primary key.
    let replacing: String
    /// Where the columns of the table's primary key are among `columns`; nil if one is missing, or there is none.
    let keyPositions: [Int]?

    /// - Parameter key: The columns of the primary key, in lower case.
    init(into table: String, _ columns: [String], key: [String]) {
        self.columns = columns
        let names = columns.map(Identifier.quoted)
        let marks = columns.map { _ in "?" }
        let values =
            columns.isEmpty
            ? "DEFAULT VALUES" : "(\(names.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", ")))"
        plain = "INSERT INTO \(Identifier.quoted(table)) \(values)"

        let positions = key.compactMap { name in columns.firstIndex { $0.lowercased() == name } }
        keyPositions = key.isEmpty || positions.count < key.count ? nil : positions
        let others = names.indices.filter { !positions.contains($0) }.map { "\(names[$0]) = excluded.\(names[$0])" }
        let change = others.isEmpty ? "NOTHING" : "UPDATE SET \(others.joined(separator: ", "))"
        replacing = "\(plain) ON CONFLICT (\(key.map(Identifier.quoted).joined(separator: ", "))) DO \(change)"
    }
}
