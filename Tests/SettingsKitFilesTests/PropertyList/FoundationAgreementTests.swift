import Foundation
import Testing

@testable import SettingsKitFiles

@Suite struct `Agreement with Foundation` {
    @Test(arguments: 0..<150 as Range<UInt64>)
    func `Foundation reads what is written`(seed: UInt64) throws {
        var random = RandomPropertyList(seed: seed)
        let members = random.members(depth: 5)
        let file = try XMLPropertyListWriter.write(members)
        let object = try PropertyListSerialization.propertyList(from: file, format: nil)
        let expected = try #require(foundationObject(.dictionary(members)) as? NSDictionary)
        #expect(expected.isEqual(object), "seed \(seed)")
    }

    @Test(arguments: 0..<150 as Range<UInt64>, [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `what Foundation writes is read`(seed: UInt64, format: PropertyListSerialization.PropertyListFormat) throws {
        var random = RandomPropertyList(seed: seed)
        random.usesCarriageReturns = format == .binary
        let members = random.members(depth: 5)
        let file = try PropertyListSerialization.data(
            fromPropertyList: foundationObject(.dictionary(members)), format: format, options: 0)
        #expect(sorted(try PropertyListReader.read(file)) == sorted(.dictionary(members)), "seed \(seed)")
        #expect(sorted(.dictionary(PropertyListReader.recover(file))) == sorted(.dictionary(members)), "seed \(seed)")
    }

    @Test func `large binary files with wide references are read`() throws {
        let numbers = (0..<70_000).map { $0 * 3 }
        let file = try PropertyListSerialization.data(
            fromPropertyList: ["n": numbers, "s": numbers.map { "text \($0)" }], format: .binary, options: 0)
        let expected = PropertyListValue.dictionary([
            PropertyListMember(key: "n", value: .array(numbers.map { .integer(Int64($0)) })),
            PropertyListMember(key: "s", value: .array(numbers.map { .string("text \($0)") })),
        ])
        #expect(sorted(try PropertyListReader.read(file)) == expected)
    }
}
