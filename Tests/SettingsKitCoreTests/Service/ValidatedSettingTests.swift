import Foundation
import SettingsKitCore
import Testing

@Suite("Validation", .timeLimit(Rounds.timeLimit))
struct ValidatedSettingTests {
    private let port = Setting<Int>("port", in: .defaults, default: 0, validation: .range(1...65_535)) { abs($0) }
    private let nickname = Setting<String?>(
        "nickname", in: .defaults, validation: .init("must not be empty") { $0?.isEmpty != true })

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
        for text in ["0", "eighty"] {
            let error = #expect(throws: SettingsError.self) { try settings.set(port, fromText: text) }
            #expect(error?.code == .invalidValue && error?.expected?.contains("65535") == true)
        }
    }
}

@Suite("Values that people and other programs write in another form", .timeLimit(Rounds.timeLimit))
struct TolerantDecodingTests {
    @Test(
        "A Boolean may be a number or a word, an integer a real number or decimal text, and a real number any of these",
        arguments: [
            ("1", true, 1, 1), ("0", false, 0, 0), ("2", nil, 2, 2), ("true", true, nil, nil), ("1.0", true, 1, 1),
            (#""true""#, true, nil, nil), (#""YES""#, true, nil, nil), (#""on""#, true, nil, nil),
            (#""0""#, false, 0, 0), (#""No""#, false, nil, nil), (#""off""#, false, nil, nil),
            (#""maybe""#, nil, nil, nil), (#""""#, nil, nil, nil), (#""true ""#, nil, nil, nil),
            ("[true]", nil, nil, nil), (#""80""#, nil, 80, 80), ("80.0", nil, 80, 80), ("8e1", nil, 80, 80),
            (#""-5""#, nil, -5, -5), ("80.5", nil, nil, 80.5), (#""80x""#, nil, nil, nil), (#""0x50""#, nil, nil, nil),
            ("1e30", nil, nil, 1e30), (#""0.5""#, nil, nil, 0.5), (#""1e3""#, nil, 1000, 1000),
            (#""nan""#, nil, nil, nil),
        ] as [(String, Bool?, Int?, Double?)])
    func scalars(text: String, boolean: Bool?, integer: Int?, real: Double?) {
        #expect(read(text, as: Bool.self) == boolean)
        #expect(read(text, as: Int.self) == integer)
        #expect(read(text, as: Double.self) == real)
    }

    @Test("A number that is too large for its type is no value, and a string is only a string")
    func refused() {
        #expect(read("1e300", as: Float.self) == nil && read("\"1e300\"", as: Float.self) == nil)
        #expect(read("300", as: Int8.self) == nil && read("\"-1\"", as: UInt.self) == nil)
        #expect(read("80", as: String.self) == nil && read("true", as: String.self) == nil)
    }

    @Test("What is stored stays as it is, and a setting with a transformer takes nothing but what that writes")
    func stored() throws {
        let store = MemoryStore(["n": Data("\"80\"".utf8)])
        let settings = SettingsService.over(store)
        #expect(settings.get(Setting<Int>("n", in: .defaults, default: 0)) == 80)
        #expect(try store.text("n") == "\"80\"")
        #expect(settings.get(Setting<Int>("n", in: .defaults, default: 7, transformer: JSONTransformer())) == 7)
    }

    private func read<T: Codable & Sendable & Equatable>(_ text: String, as type: T.Type) -> T? {
        do {
            return try MemoryStore(["n": Data(text.utf8)]).load(Setting<T?>("n", in: .defaults, default: nil))
        } catch {
            return nil
        }
    }
}
