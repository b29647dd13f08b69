import Foundation
import Testing

@testable import SettingsKit

@Suite("Numbers as people of a region write them")
struct NumberSeparatorsTests {
    private static let english = NumberSeparators(decimal: ".", grouping: ",")
    private static let german = NumberSeparators(decimal: ",", grouping: ".")
    private static let french = NumberSeparators(decimal: ",", grouping: "\u{202F}")
    private static let swiss = NumberSeparators(decimal: ".", grouping: "’")
    private static let arabic = NumberSeparators(decimal: "٫", grouping: "٬")

    @Test(
        "A number is read with the separators of the region",
        arguments: [
            (english, "0.5", "0.5"), (english, "1,000", "1000"), (english, "1,234,567.25", "1234567.25"),
            (english, "1,00,000", "100000"), (english, " 80 ", "80"), (english, "-1", "-1"), (english, "+5", "+5"),
            (english, "1e3", "1e3"), (english, "2.5E-7", "2.5E-7"), (english, ".5", ".5"), (english, "\u{2212}4", "-4"),
            (german, "0,5", "0.5"), (german, "1.000", "1000"), (german, "1.234.567,25", "1234567.25"),
            (german, "-0,25", "-0.25"), (french, "1 000,5", "1000.5"), (french, "1\u{A0}000", "1000"),
            (swiss, "1'000.5", "1000.5"), (swiss, "1’000", "1000"), (arabic, "١٬٢٣٤٫٥", "1234.5"),
            (arabic, "\u{61C}-١", "-1"),
        ])
    func numbers(separators: NumberSeparators, typed: String, number: String) {
        #expect(separators.number(typed) == number)
    }

    @Test(
        "What the region does not write so is no number, and nothing is guessed",
        arguments: [
            (english, "0,5"), (english, "1,00"), (english, "0,500"), (english, "1,2,3"), (english, "1.2.3"),
            (english, ",5"), (english, "1.000,5"), (english, "x"), (english, ""), (english, "-"), (english, "0x10"),
            (english, "inf"), (english, "nan"), (english, "1e"), (english, "5 %"), (german, "0.5"), (german, "1.5"),
            (german, "1,5,5"), (swiss, "1,5"), (english, "½"), (english, "四"),
        ])
    func refused(separators: NumberSeparators, typed: String) {
        #expect(separators.number(typed) == nil)
    }

    @Test("A number is shown with the decimal separator, and read again as the same")
    func shown() {
        #expect(Self.german.shown("0.5") == "0,5")
        #expect(Self.german.shown("1e-07") == "1e-07")
        #expect(Self.german.shown("1.5e-07") == "1,5e-07")
        #expect(Self.german.shown("8080") == "8080")
        #expect(Self.german.shown("") == "")
        #expect(Self.german.shown("1.x") == "1.x")
        for separators in [Self.english, Self.german, Self.french, Self.swiss, Self.arabic] {
            for text in ["0", "-1", "0.5", "123456.789", "1e+20", "-2.5e-07", "5e-324"] {
                #expect(separators.number(separators.shown(text)) == text)
            }
        }
    }

    @Test(
        "The separators are those of the locale",
        arguments: [("en_US", english), ("de_DE", german), ("hi_IN", english)])
    func locale(identifier: String, separators: NumberSeparators) {
        #expect(NumberSeparators(of: Locale(identifier: identifier)) == separators)
    }
}
