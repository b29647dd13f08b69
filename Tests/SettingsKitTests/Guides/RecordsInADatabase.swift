import Foundation
import SettingsKit
import SettingsSQLite
import Testing

@Test("Visits are mapped by hand, and a database of GRDB is taken over")
private func others() async throws {
    var row = SQLiteRow()
    try Visit(user: 7, at: Date(timeIntervalSince1970: 3)).save(into: &row)
    #expect(try Visit.load(from: row).at == Date(timeIntervalSince1970: 3) && row.columns == ["user_id", "at"])
    try await withTemporaryDirectory { path in
        let file = URL(fileURLWithPath: path).appendingPathComponent("GRDB.sqlite")
        try await SQLiteStorage(at: file).write { database in
            try database.execute(
                script: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('createUsers'), ('addAddresses');
                    """)
            try V10().upgrade(database)
        }
        #expect(try await openDatabaseOfGRDB(at: file).read { try $0.count(User.all) } == 0)
    }
}

@Test("A preview's users are in memory, read without await, and deleted with the room that they took")
private func preview() async throws {
    let storage = try previewStorage()
    #expect(try firstName(in: storage) == "Ann")
    try await clear(storage)
    #expect(try firstName(in: storage) == nil)
}
