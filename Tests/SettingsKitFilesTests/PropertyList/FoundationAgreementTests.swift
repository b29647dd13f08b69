import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Agreement with Foundation", .ownThreads)
struct FoundationAgreementTests {
    @Test("Agreement with Foundation: Foundation reads what is written")
    func foundationReadsWhatIs() throws {
        for seed in Rounds.seeds(0..<150) {
            var random = RandomPropertyList(seed: seed)
            let members = random.members(depth: 5)
            let file = try XMLPropertyListWriter.write(members)
            let object = try PropertyListSerialization.propertyList(from: file, format: nil)
            let expected = try #require(foundationObject(.dictionary(members)) as? NSDictionary)
            #expect(expected.isEqual(object), "seed \(seed)")
        }
    }

    @Test(
        "Agreement with Foundation: what Foundation writes is read",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func whatFoundationWritesIs(format: PropertyListSerialization.PropertyListFormat) throws {
        for seed in Rounds.seeds(0..<150) {
            var random = RandomPropertyList(seed: seed)
            random.usesCarriageReturns = format == .binary
            let members = random.members(depth: 5)
            let file = try PropertyListSerialization.data(
                fromPropertyList: foundationObject(.dictionary(members)), format: format, options: 0)
            let expected = sorted(.dictionary(members))
            #expect(sorted(try PropertyListReader.read(file)) == expected, "seed \(seed)")
        }
    }

    @Test("Agreement with Foundation: large binary files with wide references are read")
    func largeBinaryFilesWith() throws {
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
