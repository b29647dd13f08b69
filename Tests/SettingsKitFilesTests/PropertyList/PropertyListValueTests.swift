import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Property list values")
struct PropertyListValueTests {
    private static let values: [PropertyListValue] = [
        .boolean(true), .boolean(false), .integer(1), .integer(2), .unsigned(.max), .unsigned(.max - 1), .real(1),
        .real(2),
        .date(1), .date(2), .string("a"), .string("b"), .data(Data([1])), .data(Data([2])), .array([]), .dictionary([]),
        .array([.integer(1)]), .array([.integer(1), .integer(1)]), .array([.integer(2)]),
        .dictionary([PropertyListMember(key: "a", value: .integer(1))]),
        .dictionary([PropertyListMember(key: "b", value: .integer(1))]),
        .dictionary([PropertyListMember(key: "a", value: .integer(2))]),
    ]

    @Test("Property list values are equal to themselves and to nothing else")
    func areEqualToThemselves() {
        for (index, left) in Self.values.enumerated() {
            for (other, right) in Self.values.enumerated() { #expect((left == right) == (index == other)) }
        }
        #expect(PropertyListValue.real(.nan) != .real(.nan))
        #expect(PropertyListValue.string("\u{E9}") != .string("e\u{301}"))
    }
}
