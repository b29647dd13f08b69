import Foundation
import SettingsKit
import SettingsSQLite
import Testing

/// A value of a standard type, and what people see of it and type for it.
private struct Form: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The bytes in a store, as in etcd and the files of a shared directory.
    let bytes: Data
    /// The value in a file with JSON.
    let json: String
    /// The value in a property list.
    let list: String
    /// The value in a variable or an argument; nil if neither they nor layers of JSON can have it.
    let text: String?
    let check: @Sendable (Form, _ directory: String) async throws -> Void

    init<Value: Codable & Equatable & Sendable>(
        _ value: Value, insteadOf default: Value, json: String, list: String, text: String?, bytes: Data? = nil
    ) {
        testDescription = "\(Value.self) \(json)"
        (self.json, self.list, self.text, self.bytes) = (json, list, text, bytes ?? Data(json.utf8))
        let setting = Setting<Value>("x", in: .defaults, default: `default`)
        check = { try await $0.check(setting, value, in: $1) }
    }

    private func check<Value: Codable & Equatable & Sendable>(
        _ setting: Setting<Value>, _ value: Value, in directory: String
    ) async throws {
        func service(_ store: some SettingsStore) -> SettingsService {
            SettingsService(defaults: store, diagnosticSink: .none)
        }
        func url(_ name: String) -> URL { URL(fileURLWithPath: "\(directory)/\(name)") }

        let memory = MemoryStore()
        try service(memory).save(setting, to: value)
        #expect(memory.get(key("x")) == bytes)

        let list = url("a.plist")
        do {
            let settings = service(try PropertyListStore(url: list))
            try settings.save(setting, to: value)
            try settings.bringUpToDate()
        }
        #expect(try Self.member(of: String(contentsOf: list, encoding: .utf8)) == self.list)
        #expect(try service(PropertyListStore(url: list, access: .readOnly)).load(setting) == value)
        #expect(try service(LayeredStore([.file(list)])).load(setting) == value)

        let database = url("a.sqlite")
        do { try service(SQLiteStore(at: database)).save(setting, to: value) }
        let column: Data? = try await SQLiteStorage(at: database).read {
            try $0.select(sql: "SELECT CAST(value AS BLOB) FROM settings")
        }
        #expect(column == bytes)
        #expect(try service(SQLiteStore(at: database)).load(setting) == value)

        guard let text else { return }
        try write("{\"x\": \(json)}", to: "\(directory)/a.json")
        #expect(try service(LayeredStore([.file(url("a.json"))])).load(setting) == value)
        #expect(try service(LayeredStore([.environment(prefix: "P_", ["P_X": text])])).load(setting) == value)
        let typed = MemoryStore()
        try service(typed).set(setting, fromText: text)
        #expect(typed.get(key("x")) == bytes)
        #expect(service(typed).text(of: setting) == text)
        try FileManager.default.createDirectory(at: url("secrets"), withIntermediateDirectories: false)
        let isData = Value.self == Data.self
        try (isData ? bytes : Data(text.utf8)).write(to: url("secrets/x"))
        #expect(try service(LayeredStore([.directory(url("secrets"))])).load(setting) == value)
    }

    /// Returns the value of the only member of a property list, without white space.
    private static func member(of text: String) throws -> String {
        let start = try #require(text.firstRange(of: "<key>x</key>")).upperBound
        let end = try #require(text.firstRange(of: "</dict>\n</plist>")).lowerBound
        return String(text[start..<end].filter { !$0.isWhitespace })
    }
}

private enum Theme: String, Codable { case light, dark }
private enum Level: Int, Codable { case low, high }

private struct Backup: Codable, Equatable {
    var at = Date.distantPast
    var next: Date?
    var all: [Date] = []
}

private let date = Date(timeIntervalSince1970: 1_795_804_155)

private let forms: [Form] = [
    Form(true, insteadOf: false, json: "true", list: "<true/>", text: "true"),
    Form(8_080, insteadOf: 0, json: "8080", list: "<integer>8080</integer>", text: "8080"),
    Form(0.25, insteadOf: 0, json: "0.25", list: "<real>0.25</real>", text: "0.25"),
    Form(Decimal(string: "0.1"), insteadOf: nil, json: "0.1", list: "<real>0.1</real>", text: "0.1"),
    Form("Ann", insteadOf: "", json: "\"Ann\"", list: "<string>Ann</string>", text: "Ann"),
    Form(
        Data([0, 255]), insteadOf: Data(), json: "\"AP8=\"", list: "<data>AP8=</data>", text: "AP8=",
        bytes: Data([0, 255])),
    Form(
        date, insteadOf: .distantPast, json: "\"2026-11-27T18:29:15Z\"",
        list: "<string>2026-11-27T18:29:15Z</string>", text: "2026-11-27T18:29:15Z"),
    Form(
        date + 0.125, insteadOf: nil, json: "\"2026-11-27T18:29:15.125Z\"",
        list: "<string>2026-11-27T18:29:15.125Z</string>", text: "2026-11-27T18:29:15.125Z"),
    Form(
        Date(timeIntervalSinceReferenceDate: 1e12), insteadOf: date, json: "1000000000000",
        list: "<integer>1000000000000</integer>", text: nil),
    Form(Duration.seconds(120), insteadOf: .zero, json: "\"2m\"", list: "<string>2m</string>", text: "2m"),
    Form(Duration?.none, insteadOf: .zero, json: "null", list: "<data>bnVsbA==</data>", text: "null"),
    Form(
        URL(string: "https://example.org/a"), insteadOf: nil, json: "\"https://example.org/a\"",
        list: "<string>https://example.org/a</string>", text: "https://example.org/a"),
    Form(
        UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), insteadOf: nil,
        json: "\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"",
        list: "<string>E621E1F8-C36C-495A-93FC-0C247A3E6E5F</string>", text: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
    Form(Theme.dark, insteadOf: .light, json: "\"dark\"", list: "<string>dark</string>", text: "dark"),
    Form(Level.high, insteadOf: .low, json: "1", list: "<integer>1</integer>", text: "1"),
    Form(
        [1, 2], insteadOf: [], json: "[1,2]", list: "<array><integer>1</integer><integer>2</integer></array>",
        text: "[1,2]"),
    Form(
        ["a": 1], insteadOf: [:], json: "{\"a\":1}", list: "<dict><key>a</key><integer>1</integer></dict>",
        text: "{\"a\":1}"),
    Form(
        Backup(at: date, next: date + 0.5, all: [date]), insteadOf: Backup(),
        json: #"{"all":["2026-11-27T18:29:15Z"],"at":"2026-11-27T18:29:15Z","next":"2026-11-27T18:29:15.5Z"}"#,
        list: "<dict><key>all</key><array><string>2026-11-27T18:29:15Z</string></array>"
            + "<key>at</key><string>2026-11-27T18:29:15Z</string>"
            + "<key>next</key><string>2026-11-27T18:29:15.5Z</string></dict>",
        text: #"{"all":["2026-11-27T18:29:15Z"],"at":"2026-11-27T18:29:15Z","next":"2026-11-27T18:29:15.5Z"}"#),
]

@Suite("Values of standard types are stored as a person would write them", .timeLimit(Rounds.timeLimit))
struct StandardFormsTests {
    @Test("In each store, file and text, a value has the form of its type, and comes back", arguments: forms)
    private func storedForm(form: Form) async throws {
        try await withTemporaryDirectory { try await form.check(form, $0) }
    }
}
