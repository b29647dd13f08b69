import Foundation
import SettingsKit
import SettingsSQLite
import Testing

@Test("The vault's settings are rows that people can read")
private func vault() async throws {
    try await withTemporaryDirectory { path in
        let folder = URL(fileURLWithPath: path)
        let file = folder.appendingPathComponent("Vault.sqlite")
        try useVault(at: file)
        #expect(try openVault(at: file).get(.attempts) == 2)
        let rows: [String] = try await SQLiteStorage(at: file).read {
            try $0.select(sql: "SELECT name || '|' || value FROM settings ORDER BY name")
        }
        #expect(rows == ["attempts|2", "pin|\"1234\""])
    }
}

@Test("Users are renamed, selected, and listened to")
private func users() async throws {
    try await withTemporaryDirectory { path in
        let folder = URL(fileURLWithPath: path)
        let storage = try openStorage(at: folder.appendingPathComponent("Users.sqlite"))
        try await storage.write {
            try $0.save([
                User(id: 8, name: "Rob", address: Address(town: "Bergen")), User(id: 9, name: "Al"),
                User(id: 10, name: "Eve"),
            ])
        }
        #expect(try await changeUsers(in: storage).map(\.name) == ["Bob"])
        #expect(try await renameUser(9, to: "Alan", in: storage)?.name == "Alan")
        #expect(await loadUser(8, from: storage)?.address == Address(town: "Bergen"))
        #expect(try await names(of: [7, 9, 10], notLike: "Ann", in: storage) == ["Alan"])
        try await backUp(storage, into: folder, on: "today")
        let copy = try SQLiteStorage(at: folder.appendingPathComponent("Users today.sqlite"), versions: [V01(), V02()])
        #expect(try await copy.read { try $0.count(User.all) } == 3)
        let greeting = Task { await greet(user: 7, in: storage) }
        greeting.cancel()
        await greeting.value
    }
}
