import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("The contents of a store's table")
struct StoreContentsTests {
    @Test(
        "JSON is stored as readable text, and other bytes as a blob; all are read back unchanged",
        arguments: [
            ("{\"a\":[1,\"ü\"]}", "text"), ("3", "text"), ("", "text"), ("it's; DROP TABLE settings --", "text"),
            ("🧵\n\r\t\\", "text"), ("a\0b", "blob"), ("007", "text"), ("12345678901234567890", "text"),
        ])
    func text(value: String, type: String) async throws {
        try await roundTrip(Data(value.utf8), type: type)
    }

    @Test("No UTF-8, NUL and ten million bytes come back as they went in")
    func bytes() async throws {
        try await roundTrip(Data([0xFF, 0x00, 0xC3]), type: "blob")
        try await roundTrip(Data([0xED, 0xA0, 0x80]), type: "blob")
        try await roundTrip(Data(repeating: 0x61, count: 10_000_000), type: "text")
        try await roundTrip(Data((0..<10_000_000).map { UInt8(truncatingIfNeeded: $0) }), type: "blob")
    }

    private func roundTrip(_ data: Data, type: String) async throws {
        try await withDatabase { path in
            let store = try openStore(path)
            try store.set(key("a"), to: data)
            #expect(store.get(key("a")) == data)
            #expect(try freshStore(path).get(key("a")) == data)
            let other = try OtherProgram(path)
            #expect(try other.text("SELECT typeof(value) FROM settings") == type)
            #expect(try other.text("SELECT length(CAST(value AS BLOB)) FROM settings") == "\(data.count)")
            // Nothing of it is a change afterwards.
            try other.run("CREATE TABLE other (x)")
            let (service, _) = SettingsService.over(store)
            let heard = Recorder<Data?>()
            let subscription = service.observe(
                Setting<String>("a", in: .defaults, default: "")
            ) { _ in heard.append(nil) }
            try store.refresh()
            #expect(heard.all.isEmpty)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("A name is in the table unchanged; names that are canonically equal are one row, however they are spelled")
    func names() async throws {
        try await withDatabase { path in
            let store = try openStore(path)
            let (short, long) = ("caf\u{E9}", "cafe\u{301}")
            let names = ["it's", "; DROP TABLE settings; --", "a\nb\r\n", "%_\\", "ends ", "NULL", short]
            for name in names { try store.set(key(name), to: Data("1".utf8)) }
            try freshStore(path).set(key(long), to: Data("3".utf8))
            try store.refresh()
            #expect(store.get(key(short)) == Data("3".utf8))
            let writes = [(long, "4"), (short, "5")].map {
                SettingsStoreBatch.Entry(key: key($0.0), data: Data($0.1.utf8))
            }
            #expect(try store.apply(.init(writes: writes, expectations: [.init(key: key(long), data: Data("3".utf8))])))
            let rows = try OtherProgram(path).run("SELECT name, value FROM settings")
            #expect(Set(rows) == Set(names.map { [$0, $0 == short ? "5" : "1"] }))
        }
    }

    @Test("A name that another program stored in two spellings reads as the first, and hides no other removal")
    func twoSpellings() async throws {
        try await withDatabase { path in
            let store = try freshStore(path)
            try store.set(key("x"), to: Data("0".utf8))
            let other = try OtherProgram(path)
            try other.run("INSERT INTO settings VALUES ('caf\u{E9}', 1), ('cafe\u{301}', 2)")
            for round in 0..<4 {
                try other.run("INSERT INTO settings VALUES ('round \(round)', 1)")
                try store.refresh()
                #expect(store.get(key("caf\u{E9}")) == Data("1".utf8))
            }
            try other.run("DELETE FROM settings WHERE name = 'x'")
            try store.refresh()
            #expect(store.get(key("x")) == nil)
            #expect(try freshStore(path).get(key("caf\u{E9}")) == Data("1".utf8))
        }
    }

    @Test("Values written with SQL are read as a user expects")
    func byHand() async throws {
        try await withDatabase { path in
            let (service, problems) = SettingsService.over(try openStore(path))
            try OtherProgram(path).run(
                """
                INSERT INTO settings (name, value) VALUES ('integer', 42), ('real', 0.25), ('text', '"dark"'),
                    ('word', 'true'), ('blob', x'5b312c325d'), (7, 8), ('least', -9223372036854775808),
                    ('wrong', 'dark'), (x'ff', 1), ('', 1), ('a' || char(0), 1)
                """)
            func get<Value: Codable & Sendable & Equatable>(_ name: String, _ value: Value) -> Value {
                service.get(Setting<Value>(name, in: .defaults, default: value))
            }
            #expect(try await eventually { get("integer", 0) == 42 })
            #expect(get("real", 0.0) == 0.25)
            #expect(get("text", "") == "dark")
            #expect(get("word", false) == true)
            #expect(get("blob", [Int]()) == [1, 2])
            #expect(get("7", 0) == 8)
            #expect(get("least", 0) == Int.min)
            #expect(problems.all.isEmpty)
            #expect(get("wrong", "light") == "light")
            #expect(problems.all.map(\.code) == [.decodingFailed])
            let store = try freshStore(path)
            #expect(
                Set(store.keys()) == ["integer", "real", "text", "word", "blob", "7", "least", "wrong"])
            // A row that cannot be a setting stays, and does not disturb others.
            try store.removeAll()
            #expect(try OtherProgram(path).text("SELECT count(*) FROM settings") == "3")
            #expect(throws: (any Error).self) {
                try OtherProgram(path).run("INSERT INTO settings VALUES ('null', NULL)")
            }
        }
    }

    @Test(
        "A table made by a user is used unchanged",
        arguments: [
            "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT)",
            "CREATE TABLE settings (value, name TEXT NOT NULL PRIMARY KEY, note TEXT) WITHOUT ROWID",
            "CREATE TABLE SETTINGS (Name PRIMARY KEY, VALUE BLOB, changed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)",
        ])
    func tableOfSomebody(definition: String) async throws {
        try await withDatabase { path in
            let other = try OtherProgram(path)
            try other.run("\(definition); INSERT INTO settings (name, value) VALUES ('a', '\"x\"'), ('none', NULL)")
            let store = try openStore(path)
            #expect(store.get(key("a")) == Data("\"x\"".utf8))
            #expect(store.get(key("none")) == nil)
            try store.set(key("a"), to: Data("1.50".utf8))
            try store.set(key("none"), to: Data("007".utf8))
            #expect(
                try other.run("SELECT value FROM settings ORDER BY name") == [["1.50"], ["007"]])
            let fresh = try freshStore(path)
            #expect(fresh.get(key("a")) == Data("1.50".utf8) && fresh.get(key("none")) == Data("007".utf8))
            try other.run("UPDATE settings SET value = NULL WHERE name = 'a'")
            try fresh.refresh()
            #expect(fresh.keys() == ["none"] && fresh.get(key("a")) == nil)
        }
    }

    @Test("In a database whose text is UTF-16, values are the same")
    func utf16() async throws {
        try await withDatabase { path in
            let other = try OtherProgram(path)
            try other.run("PRAGMA encoding = 'UTF-16le'; CREATE TABLE x (y)")
            let store = try openStore(path)
            try store.set(key("ü"), to: Data("\"ö🧵\"".utf8))
            #expect(try other.run("SELECT name, value FROM settings") == [["ü", "\"ö🧵\""]])
            #expect(try freshStore(path).get(key("ü")) == Data("\"ö🧵\"".utf8))
        }
    }

    @Test("Several tables in one file are several stores; two over one table have one memory")
    func tables() async throws {
        try await withDatabase { path in
            let names = ["settings", "other", "it's `a` \"table\"; --", "select"]
            let stores = try names.map { try openStore(path, table: $0) }
            for (name, store) in zip(names, stores) { try store.set(key("a"), to: Data("\"\(name)\"".utf8)) }
            for (name, store) in zip(names, stores) {
                #expect(store.get(key("a")) == Data("\"\(name)\"".utf8))
                #expect(try freshStore(path, table: name).get(key("a")) == Data("\"\(name)\"".utf8))
            }
            #expect(try openStore(path).feed === stores[0].feed)
            #expect(try openStore(path, table: "other").feed === stores[1].feed)
            #expect(stores[1].storeDescription.contains("other"))
        }
    }

    @Test("Files whose names are spelled with other scalars are two", .enabled(if: Self.tellsSpellingsApart))
    func pathSpelling() async throws {
        try await withTemporaryFolder { folder in
            let (one, other) = (
                try openStore(folder.path + "/\u{E9}.sqlite"), try openStore(folder.path + "/e\u{301}.sqlite")
            )
            try one.set(key("a"), to: Data("1".utf8))
            #expect(other.get(key("a")) == nil)
        }
    }

    private static var tellsSpellingsApart: Bool {
        #if canImport(Darwin)
            false
        #else
            true
        #endif
    }
}
