import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("What PropertyListSerialization reads is read", .ownThreads)
struct ForeignReadingTests {
    private static let elements = [
        "<true />", "<false></false >", "<true x=\"y\"/>", "<string/>", "<array/>", "<dict/>",
        "<integer> +42</integer>", "<integer>0X1f</integer>", "<integer>007</integer>",
        "<integer>18446744073709551615</integer>", "<real> 1</real>",
        "<real>1e400</real>", "<real>INFINITY</real>", "<real>.5</real>", "<real>1&#46;5</real>",
        "<date>-2024-01-01T00:00:00Z</date>",
        "<data>\n\tQU JD\n\t</data>",
        "<string>&amp;&#65;&#x41;<![CDATA[ <x> ]]></string>", "<string>a > b</string>",
        "<array><!-- c --><true/><?p?></array>",
        "<dict><!-- a -- b --></dict>",
    ].map { "<plist version=\"1.0\">\n<dict>\n\t<key>a</key>\n\t\($0)\n</dict>\n</plist>\n" }
    private static let list = "<plist><dict><key>a</key><string>x</string></dict></plist>"
    private static let documents = [
        list, " \n\(list)", "<!-- c -->\(list)", "<?p?>\(list)",
        "<dict><key>a</key><string>1</string><key>a</key><string>2</string></dict>", "<?xml version=\"1.0\"?>\(list)",
        "<?xml encoding=\"ISO-8859-1\"?>\(list)", "<?xml encoding=\"us-ascii\"?>\(list)",
    ]

    @Test(
        "A well-formed list that PropertyListSerialization reads is read, with the same values",
        arguments: elements + documents)
    func reads(document: String) throws {
        let expected = try #require(Self.dictionary(Data(document.utf8)))
        let members = try PropertyListReader.readDictionary(Data(document.utf8))
        let found = try #require(foundationObject(.dictionary(members)) as? NSDictionary)
        #expect(expected.isEqual(found), "\(expected) \(found)")
    }

    /// What `PropertyListSerialization` reads in one of the two formats, if it is a dictionary that is not empty.
    private static func dictionary(_ data: Data) -> NSDictionary? {
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object = try? PropertyListSerialization.propertyList(from: data, format: &format)
        guard format != .openStep, let dictionary = object as? NSDictionary, dictionary.count > 0 else { return nil }
        return dictionary
    }
}
