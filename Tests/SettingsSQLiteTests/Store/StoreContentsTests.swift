import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("The contents of a store's table")
struct StoreContentsTests {
    @Test(
        "JSON is stored as readable text, and other bytes as a blob; another program's commit changes neither",
        arguments: [
            ("{\"a\":[1,\"ü\"]}", "text"), ("", "text"), ("it's; DROP TABLE settings --\n\\", "text"), ("007", "text"),
            ("12345678901234567890", "text"), ("a\0b", "blob"), (nil, "blob"),
        ])
    func storedTypes(text: String?, type: String) async throws {
        try await withDatabase { path in
            let store = try openStore(path)
            let data = text.map { Data($0.utf8) } ?? Data([0xED, 0xA0, 0x80])
            try store.set(key("a"), to: data)
            let changes = Recorder<Void>()
            let subscription = store.feed?.observe { _, _ in changes.append(()) }
            let other = try OtherProgram(path)
            #expect(try other.text("SELECT typeof(value) FROM settings") == type)
            try other.run("CREATE TABLE other (x)")
            try store.refresh()
            #expect(try store.get(key("a")) == data && freshStore(path).get(key("a")) == data && changes.count == 0)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("A name that another program stored in two spellings reads as the first, and hides no other removal")
    func twoSpellings() async throws {
        try await withDatabase { path in
            let store = try freshStore(path)
            try store.set(key("x"), to: Data("0".utf8))
            let other = try OtherProgram(path)
            try other.run("INSERT INTO settings VALUES ('caf\u{E9}', 1), ('cafe\u{301}', 2)")
            try store.refresh()
            #expect(store.get(key("cafe\u{301}")) == Data("1".utf8))
            try other.run("DELETE FROM settings WHERE name = 'x'")
            try store.refresh()
            #expect(store.get(key("x")) == nil)
            // A write goes to the row that is read.
            try store.set(key("cafe\u{301}"), to: Data("3".utf8))
            #expect(try other.run("SELECT value FROM settings ORDER BY rowid") == [["3"], ["2"]])
        }
    }

    @Test("Values written with SQL are read as a user expects, and rows that are no settings stay")
    func byHand() async throws {
        try await withDatabase { path in
            let store = try openStore(path)
            let (service, problems) = SettingsService.over(store)
            try OtherProgram(path).run(
                """
                INSERT INTO settings (name, value) VALUES ('integer', 42), ('real', 0.25), ('text', '"dark"'),
                    ('word', 'true'), ('blob', x'5b312c325d'), (7, 8), ('least', -9223372036854775808),
                    ('wrong', 'dark'), (x'ff', 1), ('', 1), ('a' || char(0), 1)
                """)
            try store.refresh()
            func get<Value: Codable & Sendable & Equatable>(_ name: String, _ value: Value) -> Value {
                service.get(Setting<Value>(name, in: .defaults, default: value))
            }
            #expect(get("integer", 0) == 42 && get("real", 0.0) == 0.25 && get("text", "") == "dark")
            #expect(get("word", false) && get("blob", [Int]()) == [1, 2] && get("7", 0) == 8)
            #expect(get("least", 0) == Int.min && problems.all.isEmpty)
            #expect(get("wrong", "light") == "light" && problems.all.map(\.code) == [.decodingFailed])
            #expect(Set(store.keys()) == ["integer", "real", "text", "word", "blob", "7", "least", "wrong"])
            try store.removeAll()
            #expect(try OtherProgram(path).text("SELECT count(*) FROM settings") == "3")
        }
    }

    @Test(
        "A table made by a user is used unchanged",
        arguments: [
            "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT)",
            "CREATE TABLE settings (value, name TEXT NOT NULL PRIMARY KEY, note TEXT) WITHOUT ROWID",
            "CREATE TABLE SETTINGS (Name PRIMARY KEY, VALUE BLOB, changed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)",
        ])
    func tableOfUser(definition: String) async throws {
        try await withDatabase { path in
            let other = try OtherProgram(path)
            try other.run("\(definition); INSERT INTO settings (name, value) VALUES ('a', '\"x\"'), ('none', NULL)")
            let store = try openStore(path)
            #expect(store.get(key("a")) == Data("\"x\"".utf8) && store.get(key("none")) == nil)
            try store.set(key("a"), to: Data("1.50".utf8))
            try store.set(key("none"), to: Data("007".utf8))
            #expect(try other.run("SELECT value FROM settings ORDER BY name") == [["1.50"], ["007"]])
            try other.run("UPDATE settings SET value = NULL WHERE name = 'a'")
            try store.refresh()
            #expect(store.keys() == ["none"])
        }
    }

    @Test("Several tables in one file are several stores; two over one table have one memory")
    func tables() async throws {
        try await withDatabase { path in
            let names = ["settings", "other", "it's `a` \"table\"; --", "select"]
            let stores = try names.map { try openStore(path, table: $0) }
            for (name, store) in zip(names, stores) { try store.set(key("a"), to: Data("\"\(name)\"".utf8)) }
            for (name, store) in zip(names, stores) {
                #expect(try freshStore(path, table: name).get(key("a")) == Data("\"\(name)\"".utf8))
                #expect(try openStore(path, table: name).feed === store.feed)
            }
            #expect(stores[1].storeDescription.contains("other") && !stores[0].storeDescription.contains("settings)"))
        }
    }
}
