import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Conditions of values")
struct ValidationTests {
    private typealias Validation = SettingsService.Validation
    private enum Theme: String, Codable { case light, dark, blue }

    private func expected<T: Codable & Sendable>(_ validation: Validation<T>) -> String {
        TextForm<T>.standard.type.restricted(by: validation).expected
    }

    private func check<T>(
        _ validation: Validation<T>, accepts good: [T], rejects bad: [T],
        at location: SourceLocation = #_sourceLocation
    ) {
        for value in good { #expect(validation.accepts(value), "\(value)", sourceLocation: location) }
        for value in bad { #expect(!validation.accepts(value), "\(value)", sourceLocation: location) }
    }

    @Test("A range accepts what is in it, and says so")
    func ranges() {
        let port = Validation<Int>.range(1...65_535)
        check(port, accepts: [1, 65_535], rejects: [0, 65_536])
        check(Validation<Double>.range(0..<1), accepts: [0, 0.5], rejects: [1, .nan, -0.1])
        #expect(port.description == "must be from 1 to 65535" && expected(port) == "an integer from 1 to 65535")
        #expect(port.constraint.minimum == "1" && port.constraint.maximum == "65535")
        #expect(expected(Validation<Int>.range(0...)) == "an integer of at least 0")
        #expect(expected(Validation<UInt16>.range(1...)) == "an integer of at least 1")
        #expect(expected(Validation<Int>.range(...10)) == "an integer of at most 10")
        #expect(expected(Validation<Double>.range(0..<1)) == "a number from 0 to below 1")
        #expect(expected(Validation<Double>.range(..<0.5)) == "a number below 0.5")
        #expect(expected(Validation<String>.range("a"..."m")) == "text from a to m")
        let day = Date(timeIntervalSinceReferenceDate: 0)
        #expect(Validation<Date>.range(day...).description == "must be at least 2001-01-01T00:00:00Z")
        // A limit without a text is none.
        let positive = Validation<Double>.range(0...Double.infinity)
        #expect(expected(positive) == "a number of at least 0" && positive.constraint.maximum == nil)
        #expect(expected(Validation<Double>.range(-Double.infinity...Double.infinity)) == "a number in its range")
    }

    @Test("Only the given values are accepted, and have the texts of their settings")
    func lists() {
        let theme = Validation<Theme>.oneOf([.light, .dark])
        check(theme, accepts: [.light, .dark], rejects: [.blue])
        #expect(theme.description == "must be one of light, dark" && theme.constraint.allowed == ["light", "dark"])
        #expect(expected(Validation<Int>.oneOf([80, 443])) == "an integer, one of 80, 443")
        #expect(Validation<Int>.oneOf([]).description == "must be no value")
        #expect(Validation<[Theme]>.oneOf([[.light], []]).constraint.allowed == [#"["light"]"#, "[]"])
        #expect(Validation<[String: Int]>.oneOf([["a": 1]]).constraint.allowed == [#"{"a":1}"#])
        #expect(Validation<Int?>.oneOf([nil, 1] as [Int?]).constraint.allowed == ["1"])
        let odd = Validation<Double>.oneOf([1, .infinity])
        #expect(odd.constraint.allowed == nil && odd.description == "must be one of the allowed values")
    }

    @Test("A length counts characters, and texts and collections may have to be not empty")
    func lengths() {
        let name = Validation<String>.length(1...3)
        check(name, accepts: ["abc", "👨‍👩‍👧‍👦é🇩🇪"], rejects: ["", "abcd"])
        #expect(name.description == "must have 1 to 3 characters" && expected(name) == "text of 1 to 3 characters")
        #expect(expected(Validation<String>.length(2...)) == "text of at least 2 characters")
        #expect(expected(Validation<String>.length(..<65)) == "text of at most 64 characters")
        #expect(expected(Validation<String>.length(4...4)) == "text of 4 characters")
        check(Validation<String>.notEmpty, accepts: ["a"], rejects: [""])
        check(Validation<[String: Int]>.notEmpty, accepts: [["a": 1]], rejects: [[:]])
        check(Validation<Data>.notEmpty, accepts: [Data([0])], rejects: [Data()])
        #expect(expected(Validation<String>.notEmpty) == "text, must not be empty")
        #expect(name.constraint.minimumCount == 1 && Validation<String>.notEmpty.constraint.minimumCount == 1)
    }

    @Test("An optional may be nil under each condition")
    func optionals() {
        check(Validation<Int?>.range(1...2), accepts: [nil, 2], rejects: [3])
        check(Validation<String?>.oneOf(["a", "b"]), accepts: [nil, "a"], rejects: ["c"])
        check(Validation<Theme?>.oneOf([.dark]), accepts: [nil, .dark], rejects: [.light])
        check(Validation<String?>.length(1...2), accepts: [nil, "a"], rejects: [""])
        check(Validation<String?>.notEmpty, accepts: [nil, "a"], rejects: [""])
        check(Validation<[Int]?>.unlessNil(.notEmpty), accepts: [nil, [1]], rejects: [[]])
        check(Validation<Int?>.all(of: [.range(0...), .range(...5)]), accepts: [nil, 3], rejects: [6])
        #expect(expected(Validation<Int?>.range(1...2)) == "an integer from 1 to 2")
    }

    @Test("Conditions of the program have its description, and combine")
    func combination() {
        let even = Validation<Int>("must be even") { $0.isMultiple(of: 2) }
        #expect(even.description == "must be even" && expected(even) == "an integer, must be even")
        #expect(even.constraint == ValueConstraint())
        let both = Validation<Int>.all(of: [.range(0...10), even])
        check(both, accepts: [4], rejects: [5, 12])
        #expect(both.description == "must be from 0 to 10 and must be even")
        #expect(expected(both) == "an integer from 0 to 10, must be even" && both.constraint.maximum == "10")
        check(Validation<Int>.all(of: []), accepts: [1], rejects: [])
    }
}
