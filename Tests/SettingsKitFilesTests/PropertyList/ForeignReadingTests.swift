import Foundation
import Testing

@testable import SettingsKitFiles

/// The guide *The property-list file* says what is not read, and why.
@Suite("What PropertyListSerialization reads is read", .ownThreads)
struct ForeignReadingTests {
    private static let elements = [
        "<true />", "<false></false >", "<true x=\"y\"/>", "<string/>", "<array/>", "<dict/>",
        "<key>k</key>",
        "<integer>-   99</integer>", "<integer> +\t42</integer>", "<integer>0X1f</integer>", "<integer>007</integer>",
        "<integer>18446744073709551615</integer>", "<integer>\u{2003}1</integer>", "<real> 1</real>",
        "<real>1e400</real>", "<real>INFINITY</real>", "<real>.5</real>", "<real>1&#46;5</real>",
        "<date>2024-01-32T20:43:14Z</date>", "<date>2024-02-31T00:00:00Z</date>", "<date>-2024-01-01T00:00:00Z</date>",
        "<date>2024-01-01T00:00:60Z</date>", "<data>QUJD====</data>",
        "<data>\n\tQU JD\n\t</data>", "<data>&#81;UJD</data>", "<data>Q-UJ_D</data>", "<string a=\"b>x</string>",
        "<string>&amp;&#65;&#x41;<![CDATA[ <x> ]]></string>", "<string>a > b</string>",
        "<array><!-- c --><true/><?p?></array>",
        "<plist><true/></plist>", "<dict><!-- a -- b --></dict>", "<string>x</string></dict></plist> more",
    ].map { "<plist version=\"1.0\">\n<dict>\n\t<key>a</key>\n\t\($0)\n</dict>\n</plist>\n" }
    private static let list = "<plist><dict><key>a</key><string>x</string></dict></plist>"
    private static let documents = [
        list, "\(list)garbage", "\(list)<!-- open", " \n\(list)", "<!-- c -->\(list)", "<?p?>\(list)",
        "<plist>\(list)</plist>",
        "<dict><key>a</key><string>1</string><key>a</key><string>2</string></dict>", "<?xml version=\"1.0\"?>\(list)",
        "<?xml encoding=\"ISO-8859-1\"?>\(list)", "<?xml encoding=\"us-ascii\"?>\(list)",
    ]

    @Test("What PropertyListSerialization reads is read, with the same values", arguments: elements + documents)
    func reads(document: String) throws {
        let expected = try #require(Self.dictionary(Data(document.utf8)))
        let members = try PropertyListReader.readDictionary(Data(document.utf8))
        let found = try #require(foundationObject(.dictionary(members)) as? NSDictionary)
        #expect(expected.isEqual(found), "\(expected) \(found)")
    }

    @Test("A document with random mistakes is read if PropertyListSerialization reads it")
    func mistakes() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict><!-- c -->
            \t<key>a</key>\n\t<integer>42</integer>\n\t<key>b</key><string>x &amp; &#65;y<![CDATA[z]]></string><?p q?>
            <key>c</key><array><true/><real>1.5</real><date>2024-01-31T20:43:14Z</date></array><key>d</key><data>QUJDRA==</data>
            <key>e</key><dict><key>k</key><false/></dict></dict></plist>
            """
        let pieces = [
            "<", ">", "/", "\"", "'", "=", "&", ";", "!", "-", "[", "]", "?", "#", " ", "\n", "0", "9", "a", "é",
            "<key>",
        ]
        for seed in Rounds.seeds(0..<2_000) {
            var random = SeededGenerator(seed: seed)
            var bytes = Array(text.utf8)
            // Other mistakes in the declaration make it name another encoding.
            let place = Int.random(in: 40..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...30, using: &random)))
            case 1: bytes.insert(contentsOf: Array(pieces.randomElement(using: &random)?.utf8 ?? "".utf8), at: place)
            default: bytes[place] = pieces.randomElement(using: &random)?.utf8.first ?? 0x20
            }
            let data = Data(bytes)
            guard Self.dictionary(data) != nil else { continue }
            #expect(
                throws: Never.self, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))"
            ) { try PropertyListReader.readDictionary(data) }
        }
    }

    /// What `PropertyListSerialization` reads in one of the two formats, if it is a dictionary that is not empty.
    private static func dictionary(_ data: Data) -> NSDictionary? {
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object = try? PropertyListSerialization.propertyList(from: data, format: &format)
        guard format != .openStep, let dictionary = object as? NSDictionary, dictionary.count > 0 else { return nil }
        return dictionary
    }
}
