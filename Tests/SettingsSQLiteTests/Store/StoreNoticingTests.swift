import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Noticing other programs' changes of a store's database", .timeLimit(Rounds.timeLimit))
struct StoreNoticingTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)
    @Test("Another program's commit publishes only differences, removals included")
    func onlyWhatDiffers() async throws {
        try await withDatabase { path in
            let store = try freshStore(path)
            for name in ["a", "b", "c"] { try store.set(key(name), to: Data("1".utf8)) }
            let (service, _) = SettingsService.over(store)
            let heard = Recorder<String>()
            let subscriptions = ["a", "b", "c", "d"].map { name in
                service.observe(Setting<Int>(name, in: .defaults, default: 0)) {
                    heard.append("\(name) \($0.oldValue) \($0.newValue) \($0.origin)")
                }
            }
            let other = try OtherProgram(path)
            try other.run(
                """
                BEGIN; UPDATE settings SET value = '1' WHERE name = 'a'; DELETE FROM settings WHERE name = 'b';
                UPDATE settings SET value = 2 WHERE name = 'c'; INSERT INTO settings VALUES ('d', '3'); COMMIT
                """)
            try store.refresh()
            #expect(heard.all.sorted() == ["b 1 0 external", "c 1 2 external", "d 0 3 external"])
            // What is done and undone is nothing.
            try other.run("UPDATE settings SET value = 7; VACUUM; DELETE FROM settings")
            try other.run("INSERT INTO settings VALUES ('a', '1'), ('c', '2'), ('d', '3')")
            try store.refresh()
            #expect(heard.all.count == 3)
            withExtendedLifetime(subscriptions) {}
        }
    }

    @Test("Another program's commit before an own write is delivered before it, also if the write fails")
    func order() async throws {
        try await withDatabase { path in
            let (service, _) = SettingsService.over(try freshStore(path))
            let heard = Recorder<String>()
            let subscription = service.observe(Self.a) { heard.append("\($0.oldValue) \($0.newValue) \($0.origin)") }
            let other = try OtherProgram(path)
            try other.run("INSERT INTO settings VALUES ('a', '5')")
            service.set(Self.a, to: 6)
            #expect(heard.all == ["0 5 external", "5 6 local"])
            try other.run("UPDATE settings SET value = '7'")
            try other.run("CREATE TRIGGER no BEFORE UPDATE ON settings BEGIN SELECT RAISE(ABORT, 'no'); END")
            #expect(throws: SettingsError.self) { try service.save(Self.a, to: 8) }
            #expect(service.get(Self.a) == 7)
            #expect(heard.all == ["0 5 external", "5 6 local", "6 7 external"])
            withExtendedLifetime(subscription) {}
        }
    }

    @Test(
        "A store that is opened again has what others have committed meanwhile",
        arguments: [.readWrite, .readOnly] as [SettingsStoreAccess])
    func openedAgain(access: SettingsStoreAccess) async throws {
        try await withDatabase { path in
            let url = URL(fileURLWithPath: path)
            try SQLiteStore(at: url).set(key("a"), to: Data("0".utf8))
            let first = try SQLiteStore(at: url, access: access)
            let other = try OtherProgram(path)
            for number in 1...20 {
                try other.run("UPDATE settings SET value = '\(number)'")
                #expect(try SQLiteStore(at: url, access: access).get(key("a")) == Data("\(number)".utf8))
            }
            withExtendedLifetime(first) {}
        }
    }
}
