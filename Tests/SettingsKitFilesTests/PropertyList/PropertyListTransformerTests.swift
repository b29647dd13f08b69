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
        try check([[1, 2], []] as [[Int]])
        try check("text")
        try check(Double.infinity)
        try check(Data([1, 2]))
        #expect(throws: (any Error).self) {
            try PropertyListTransformer<Int>().untransformValue(Data("no property list".utf8))
        }
        #expect(throws: DecodingError.self) {
            try PropertyListTransformer<Int>().untransformValue(PropertyListTransformer<String>().transformValue("x"))
        }
    }

    @Test("An error does not quote what is stored")
    func errorWithoutValue() {
        let setting = Setting<Int>("n", in: .defaults, default: 0, transformer: PropertyListTransformer())
        let error = #expect(throws: SettingsError.self) {
            try SettingsService.over(MemoryStore(["n": Data("hunter2".utf8)])).service.load(setting)
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.description.contains("hunter2") == false)
    }
}
