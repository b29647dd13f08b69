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

    @Test("A range accepts what is in it, and says so")
    func ranges() {
        let port = Validation<Int>.range(1...65_535)
        #expect(port.accepts(1) && port.accepts(65_535) && !port.accepts(0) && !port.accepts(65_536))
        #expect(port.description == "must be from 1 to 65535")
        #expect(expected(port) == "an integer from 1 to 65535")
        #expect(port.constraint.minimum == "1" && port.constraint.maximum == "65535")
        #expect(expected(Validation<Int>.range(0...)) == "an integer of at least 0")
        #expect(expected(Validation<UInt16>.range(1...)) == "an integer of at least 1")
        #expect(expected(Validation<Int>.range(...10)) == "an integer of at most 10")
        #expect(expected(Validation<Double>.range(0..<1)) == "a number from 0 to below 1")
        #expect(expected(Validation<Double>.range(..<0.5)) == "a number below 0.5")
        #expect(Validation<Double>.range(0...1).accepts(.nan) == false)
        #expect(!Validation<Double>.range(0..<1).accepts(1))
        let day = Date(timeIntervalSinceReferenceDate: 0)
        #expect(Validation<Date>.range(day...).description == "must be at least 2001-01-01T00:00:00Z")
        #expect(expected(Validation<String>.range("a"..."m")) == "text from a to m")
    }

    @Test("Only the given values are accepted")
    func lists() {
        let theme = Validation<Theme>.oneOf([.light, .dark])
        #expect(theme.accepts(.dark) && !theme.accepts(.blue))
        #expect(theme.description == "must be one of light, dark")
        #expect(theme.constraint.allowed == ["light", "dark"])
        #expect(expected(Validation<Int>.oneOf([80, 443])) == "an integer, one of 80, 443")
        #expect(Validation<Int>.oneOf([]).description == "must be no value")
    }

    @Test("A limit without a text is none, and values have the texts of their settings")
    func limitsWithoutTexts() {
        let positive = Validation<Double>.range(0...Double.infinity)
        #expect(expected(positive) == "a number of at least 0" && positive.constraint.maximum == nil)
        #expect(expected(Validation<Double>.range(-Double.infinity...Double.infinity)) == "a number in its range")
        #expect(Validation<[Theme]>.oneOf([[.light], []]).constraint.allowed == [#"["light"]"#, "[]"])
        #expect(Validation<[String: Int]>.oneOf([["a": 1]]).constraint.allowed == [#"{"a":1}"#])
        let odd = Validation<Double>.oneOf([1, .infinity])
        #expect(odd.constraint.allowed == nil && odd.description == "must be one of the allowed values")
    }

    @Test("A length counts characters")
    func lengths() {
        let name = Validation<String>.length(1...3)
        #expect(name.accepts("abc") && name.accepts("👨‍👩‍👧‍👦é🇩🇪") && !name.accepts("abcd") && !name.accepts(""))
        #expect(name.description == "must have 1 to 3 characters")
        #expect(expected(name) == "text of 1 to 3 characters")
        #expect(expected(Validation<String>.length(2...)) == "text of at least 2 characters")
        #expect(expected(Validation<String>.length(..<65)) == "text of at most 64 characters")
        #expect(expected(Validation<String>.length(4...4)) == "text of 4 characters")
        #expect(name.constraint.minimumCount == 1)
    }

    @Test("Not empty is said of texts and of collections")
    func emptiness() {
        #expect(Validation<String>.notEmpty.accepts("a") && !Validation<String>.notEmpty.accepts(""))
        #expect(!Validation<[Int]>.notEmpty.accepts([]) && Validation<[String: Int]>.notEmpty.accepts(["a": 1]))
        #expect(!Validation<Data>.notEmpty.accepts(Data()))
        #expect(expected(Validation<String>.notEmpty) == "text, must not be empty")
        #expect(Validation<String>.notEmpty.constraint.minimumCount == 1)
    }

    @Test("An optional may be nil under each condition")
    func optionals() {
        #expect(Validation<Int?>.range(1...2).accepts(nil) && !Validation<Int?>.range(1...2).accepts(3))
        #expect(
            Validation<Int?>.range(1...2).accepts(2)
                && expected(Validation<Int?>.range(1...2)) == "an integer from 1 to 2")
        #expect(
            Validation<String?>.oneOf(["a", "b"]).accepts(nil) && !Validation<String?>.oneOf(["a", "b"]).accepts("c"))
        #expect(Validation<Theme?>.oneOf([.dark]).accepts(nil) && !Validation<Theme?>.oneOf([.dark]).accepts(.light))
        #expect(Validation<String?>.length(1...2).accepts(nil) && !Validation<String?>.length(1...2).accepts(""))
        #expect(Validation<String?>.notEmpty.accepts(nil) && !Validation<String?>.notEmpty.accepts(""))
        #expect(
            Validation<[Int]?>.unlessNil(.notEmpty).accepts(nil) && !Validation<[Int]?>.unlessNil(.notEmpty).accepts([])
        )
    }

    @Test("Conditions combine")
    func combination() {
        let even = Validation<Int>("must be even") { $0.isMultiple(of: 2) }
        let both = Validation<Int>.all(of: [.range(0...10), even])
        #expect(both.accepts(4) && !both.accepts(5) && !both.accepts(12))
        #expect(both.description == "must be from 0 to 10 and must be even")
        #expect(expected(both) == "an integer from 0 to 10, must be even")
        #expect(both.constraint.maximum == "10")
        #expect(Validation<Int>.all(of: []).accepts(1))
        #expect(Validation<Int?>.all(of: [.range(0...), .range(...5)]).accepts(nil))
    }

    @Test("A condition of the program says what it says")
    func ownConditions() {
        let user = Validation<String>("must not be empty") { !$0.isEmpty }
        #expect(user.description == "must not be empty" && expected(user) == "text, must not be empty")
        #expect(user.constraint == ValueConstraint())
    }
}
