import Foundation
import SettingsKit
import SettingsSQLite
import Testing

@Test("Visits are mapped by hand")
private func visits() throws {
    var row = SQLiteRow()
    try Visit(user: 7, at: Date(timeIntervalSince1970: 3)).save(into: &row)
    #expect(try Visit.load(from: row).at == Date(timeIntervalSince1970: 3) && row.columns == ["user_id", "at"])
}

@Test("A preview's users are in memory, read without await, and deleted with the room that they took")
private func preview() async throws {
    let storage = try previewStorage()
    #expect(try firstName(in: storage) == "Ann")
    try await clear(storage)
    #expect(try firstName(in: storage) == nil)
}
