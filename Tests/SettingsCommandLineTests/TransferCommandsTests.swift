import Foundation
import SettingsCommandLine
import SettingsKit
import SettingsTestSupport
import Testing

@Suite("Export and import of unusual values")
struct TransferCommandsTests {
    private static let gain = Setting<Double>("gain", in: .defaults, default: 1, transformer: DoubleBits())
    private static let enabled = Setting<Bool>("enabled", in: .defaults, default: false)
    private static let price = Setting<Decimal>("price", in: .defaults, default: 0)
    private static let label = Setting<String?>("label", in: .defaults, transformer: JSONTransformer())
    private static let code = Setting<String>("code", in: .defaults, default: "", processing: { $0.lowercased() })

    /// Stores every number, infinite ones too.
    private struct DoubleBits: Transformer {
        struct NoNumber: Error {}
        func transformValue(_ value: Double) -> Data { Data(String(value.bitPattern).utf8) }
        func untransformValue(_ output: Data) throws -> Double {
            guard let bits = UInt64(String(decoding: output, as: UTF8.self)) else { throw NoNumber() }
            return Double(bitPattern: bits)
        }
    }

    @Test("A value without a text is left out of an export, and named")
    func valueWithoutText() {
        let desk = Desk(adding: [Self.gain])
        desk.settings.set(Self.gain, to: .infinity)
        #expect(desk.run("export") == .init(0, "{}\n", errors: "gain has no text, left out.\n"))
        #expect(desk.run("explain", "gain").output.contains("(no text)"))
    }

    @Test("import compares values and not their texts, so that an equal value of a locked setting changes nothing")
    func equalValues() throws {
        let desk = try Desk(
            environment: ["DESK_ENABLED": "yes", "DESK_CODE": "abc", "DESK_PRICE": "1e3"],
            adding: [Self.enabled, Self.code, Self.price])
        for json in [#"{"enabled": "on"}"#, #"{"code": "ABC"}"#, #"{"price": 1000}"#, #"{"price": "1000.0"}"#] {
            #expect(desk.run("import", "-", input: json) == .init(0, "Nothing changes.\n"), "\(json)")
        }
        #expect(desk.run("import", "-", input: #"{"enabled": "off"}"#).code == 1)
        let other = Desk(adding: [Self.code])
        #expect(other.run("import", "-", input: #"{"code": "ABC"}"#) == .init(0, "code:  → abc\n"))
        #expect(other.run("import", "-", input: #"{"code": "Abc"}"#) == .init(0, "Nothing changes.\n"))
    }

    @Test("import replaces bad bytes by the last good value that is in force")
    func importOverBadBytes() throws {
        let desk = Desk()
        desk.settings.set(.port, to: 9000)
        #expect(desk.settings.get(.port) == 9000)
        try desk.write("port", "0")
        #expect(desk.run("import", "-", input: #"{"port": 9000}"#).code == 0)
        #expect(try desk.store.get(key("port")) == Data("9000".utf8))
    }

    @Test("import prints no changes if they cannot be stored")
    func failedImport() {
        let result = Desk(FullStore()).run("import", "-", input: #"{"port": 1}"#)
        #expect(result.code == 1 && result.output.isEmpty && result.errors.contains("writeFailed"))
    }

    @Test("An optional text with a transformer that looks like nil is exported and imported")
    func textThatLooksLikeNil() {
        let desk = Desk(adding: [Self.label])
        for text in ["null", "\"null\"", "a", nil] as [String?] {
            desk.settings.set(Self.label, to: text)
            let exported = desk.run("export")
            desk.settings.set(Self.label, to: "other")
            if text == nil { continue }
            #expect(desk.run("import", "-", input: exported.output).code == 0)
            #expect(desk.settings.get(Self.label) == text)
        }
    }

    @Test("A decimal number keeps all of its digits")
    func decimals() throws {
        let desk = Desk(adding: [Self.price])
        let digits = "12345678901234567890.123456789"
        #expect(desk.run("import", "-", input: "{\"price\": \(digits)}").code == 0)
        #expect(desk.settings.get(Self.price) == Decimal(string: digits))
        let exported = desk.run("export")
        #expect(exported.output == "{\n  \"price\": \(digits)\n}\n")
        #expect(desk.run("import", "-", input: exported.output) == .init(0, "Nothing changes.\n"))
    }

    @Test("import names the member whose number is too large")
    func numberThatIsTooLarge() {
        let result = Desk().run("import", "-", input: #"{"port": 1, "volume": 1e999}"#)
        #expect(result.code == 1 && result.errors.hasPrefix("volume: ") && !result.errors.contains("not an object"))
    }
}
