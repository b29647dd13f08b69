import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("PropertyListTransformer")
struct PropertyListTransformerTests {
    private struct Inner: Codable, Sendable, Equatable { var dates = [Date(timeIntervalSinceReferenceDate: 125)] }
    private struct Outer: Codable, Sendable, Equatable {
        var inner = Inner()
        var data = Data([0, 255])
        var table = ["k": [1.5, .infinity]]
        var absent: Int?
    }

    private static func service(over contents: [String: Data]) -> SettingsService {
        SettingsService(stores: [.defaults: MemoryStore(contents)], diagnosticSink: .none)
    }

    @Test("Property lists hold dates, structs, numbers that JSON does not have", arguments: [true, false])
    func propertyLists(isBinary: Bool) throws {
        func check<T: Codable & Sendable & Equatable>(_ value: T) throws {
            let transformer = PropertyListTransformer<T>(format: isBinary ? .binary : .xml)
            let bytes = try transformer.transformValue(value)
            #expect(try transformer.untransformValue(bytes) == value)
            #expect(try transformer.transformValue(value) == bytes)
            let plain = PropertyListEncoder()
            if let foreign = try? plain.encode(value) {
                #expect(try transformer.untransformValue(foreign) == value, "as another program stores it")
            }
        }
        try check(Date(timeIntervalSinceReferenceDate: 86_400))
        try check(Outer())
        try check([Outer(), Outer()])
        try check([[1, 2], []] as [[Int]])
        try check([] as [Int])
        try check("text")
        try check(5)
        try check(Double.infinity)
        try check(Data([1, 2]))
        try check(["a": "b"])
        #expect(throws: (any Error).self) {
            try PropertyListTransformer<Int>().untransformValue(Data("no property list".utf8))
        }
        #expect(throws: DecodingError.self) {
            try PropertyListTransformer<Int>().untransformValue(PropertyListTransformer<String>().transformValue("x"))
        }
    }

    @Test("A property list of 100,000 nested arrays is an error, not a crash")
    func hostilePropertyList() async {
        await #expect(processExitsWith: .success) {
            let depth = 100_000
            let xml =
                "<plist version=\"1.0\">" + String(repeating: "<array>", count: depth)
                + String(repeating: "</array>", count: depth) + "</plist>"
            let setting = Setting<Int>("n", in: .defaults, default: 7, transformer: PropertyListTransformer())
            let settings = Self.service(over: ["n": Data(xml.utf8)])
            if settings.get(setting) != 7 { exit(3) }
        }
    }

    @Test("An error does not quote what is stored")
    func errorWithoutValue() {
        let setting = Setting<Int>("n", in: .defaults, default: 0, transformer: PropertyListTransformer())
        let error = #expect(throws: SettingsError.self) {
            try Self.service(over: ["n": Data("hunter2".utf8)]).load(setting)
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test("A member that is missing comes from the default, and the others stay exact", arguments: [true, false])
    func missingMembers(isBinary: Bool) throws {
        struct Old: Codable, Sendable { var (inner, when) = (["x": 1], Date(timeIntervalSinceReferenceDate: 0.5)) }
        struct New: Codable, Sendable, Equatable {
            var inner = ["y": 2]
            var when = Date.distantPast
            var data = Data([1])
            var nested = Outer()
        }
        let format: PropertyListDecoder.PropertyListFormat = isBinary ? .binary : .xml
        let setting = Setting<New>("n", in: .defaults, default: New(), transformer: PropertyListTransformer())
        let old = Old()
        let wrapped = try PropertyListTransformer<Old>(format: format).transformValue(old)
        let plain = try PropertyListEncoder().encode(old)
        for (bytes, isExact) in [(wrapped, isBinary), (plain, true)] {
            let value = try Self.service(over: ["n": bytes]).load(setting)
            #expect(value.inner == old.inner && value.data == Data([1]) && value.nested == Outer())
            if isExact { #expect(value.when == old.when) }
        }
        let none = Setting<New?>("n", in: .defaults, transformer: PropertyListTransformer())
        let error = #expect(throws: SettingsError.self) { try Self.service(over: ["n": wrapped]).load(none) }
        #expect(error?.description.contains("missing, at data") == true)
    }

    @Test("A date in a setting comes back, and nil removes it")
    func settings() throws {
        let settings = Self.service(over: [:])
        let stamp = Setting<Date?>("stamp", in: .defaults, transformer: PropertyListTransformer())
        let moment = Date(timeIntervalSinceReferenceDate: 123.5)
        settings.set(stamp, to: moment)
        #expect(try settings.load(stamp) == moment)
        settings.set(stamp, to: nil)
        #expect(!settings.isSet(stamp))
    }
}
