import Foundation
import SettingsKitCore
import Testing

@Suite("Validation", .timeLimit(Rounds.timeLimit))
struct ValidatedSettingTests {
    private let port = Setting<Int>("port", in: .defaults, default: 0, validation: .range(1...65_535)) { abs($0) }
    private let nickname = Setting<String?>(
        "nickname", in: .defaults, validation: .init("must not be empty") { $0?.isEmpty != true })

    @Test(
        "A value that is not accepted is refused by every way in, and the old value stays",
        arguments: StoreKind.allCases)
    func refused(kind: StoreKind) throws {
        let problems = Recorder<SettingsError>()
        let store = kind.make()
        let settings = SettingsService.over(store, problems)
        try settings.save(port, to: 80)
        #expect(thrownCode { try settings.save(port, to: 65_536) } == .invalidValue)
        #expect(thrownCode { try settings.set(port, fromText: "0") } == .invalidValue)
        #expect(thrownCode { try settings.set(port, fromText: "eighty") } == .invalidValue)
        #expect(thrownCode { try store.save(port, to: 70_000) } == .invalidValue)
        #expect(thrownCode { try Persister(port, in: settings).save(70_000) } == .invalidValue)
        settings.set(port, to: 70_000)
        settings.update(port) { $0 = 70_000 }
        settings.transaction { t in
            t.set(nickname, to: "x")
            t.set(port, to: 70_000)
        }
        #expect(settings.get(port) == 80 && settings.get(nickname) == nil)
        #expect(problems.all.map(\.code) == [.invalidValue, .invalidValue, .invalidValue])
        #expect(problems.all.allSatisfy { $0.expected?.contains("65535") == true && $0.key == port.key })
    }

    @Test("Values are processed first and validated then; the default is not validated")
    func order() throws {
        let settings = SettingsService.over(MemoryStore())
        #expect(settings.get(port) == 0)
        try settings.save(port, to: -8)
        #expect(settings.get(port) == 8)
        try settings.save(nickname, to: "Ann")
        try settings.save(nickname, to: nil)
        #expect(!settings.isSet(nickname))
        #expect(thrownCode { try settings.save(nickname, to: "") } == .invalidValue)
    }

    @Test("An invalid value at the start reads as the default; one from outside leaves the last good value in force")
    func fromOutside() {
        let problems = Recorder<SettingsError>()
        let store = FeedStore(["port": Data("70000".utf8)])
        let settings = SettingsService.over(store, problems)
        #expect(settings.get(port) == 0)
        #expect(settings.problem(of: port)?.code == .invalidValue)
        store.changeFromOutside([("port", "90")])
        #expect(settings.get(port) == 90)
        let told = Recorder<Int>()
        let subscription = settings.observe(port) { told.append($0.newValue) }
        store.changeFromOutside([("port", "70001")])
        #expect(settings.get(port) == 90 && SettingsService.over(store).get(port) == 90 && told.all.isEmpty)
        store.changeFromOutside([("port", "91")])
        #expect(told.all == [91] && settings.problem(of: port) == nil)
        #expect(problems.count == 2)
        subscription.cancel()
    }
}

@Suite("Values that people and other programs write in another form", .timeLimit(Rounds.timeLimit))
struct TolerantDecodingTests {
    @Test(
        "A Boolean may be 0, 1 or a word",
        arguments: [
            ("1", true), ("0", false), ("\"true\"", true), ("\"YES\"", true), ("\"on\"", true), ("\"0\"", false),
            ("\"No\"", false), ("\"off\"", false), ("2", nil), ("\"maybe\"", nil), ("\"\"", nil), ("\"true \"", nil),
            ("1.0", true), ("[true]", nil),
        ] as [(String, Bool?)])
    func booleans(text: String, value: Bool?) {
        #expect(read(text, as: Bool.self) == value)
        let optional = Setting<Bool?>("n", in: .defaults)
        let store = MemoryStore(["n": Data(text.utf8)])
        #expect(SettingsService.over(store).get(optional) == value)
    }

    @Test(
        "An integer may be decimal text or a number without a fraction",
        arguments: [
            ("\"80\"", 80), ("80.0", 80), ("8e1", 80), ("\"-5\"", -5), ("80.5", nil), ("\"eighty\"", nil),
            ("\"80x\"", nil),
            ("\"0x50\"", nil), ("true", nil), ("1e30", nil),
        ] as [(String, Int?)])
    func integers(text: String, value: Int?) {
        #expect(read(text, as: Int.self) == value)
    }

    @Test(
        "A real number may be an integer or decimal text",
        arguments: [("1", 1), ("\"0.5\"", 0.5), ("\"1e3\"", 1000), ("\"nan\"", nil), ("\"half\"", nil)]
            as [(String, Double?)])
    func reals(text: String, value: Double?) {
        #expect(read(text, as: Double.self) == value)
    }

    @Test("A number that is too large for its type is no value")
    func tooLarge() {
        #expect(read("1e300", as: Float.self) == nil && read("\"1e300\"", as: Float.self) == nil)
        #expect(read("300", as: Int8.self) == nil && read("\"-1\"", as: UInt.self) == nil)
    }

    @Test("A string is only a string, and what is stored stays as it is")
    func strings() throws {
        #expect(read("80", as: String.self) == nil)
        #expect(read("true", as: String.self) == nil)
        let store = MemoryStore(["n": Data("\"80\"".utf8)])
        let settings = SettingsService.over(store)
        #expect(settings.get(Setting<Int>("n", in: .defaults, default: 0)) == 80)
        #expect(try store.text("n") == "\"80\"")
    }

    @Test("A setting with a transformer takes nothing but what its transformer writes")
    func transformers() {
        let setting = Setting<Int>("n", in: .defaults, default: 7, transformer: JSONTransformer())
        let store = MemoryStore(["n": Data("\"80\"".utf8)])
        #expect(SettingsService.over(store).get(setting) == 7)
    }

    private func read<T: Codable & Sendable & Equatable>(_ text: String, as type: T.Type) -> T? {
        do {
            return try MemoryStore(["n": Data(text.utf8)]).load(Setting<T?>("n", in: .defaults, default: nil))
        } catch {
            return nil
        }
    }
}
