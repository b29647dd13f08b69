import Foundation
import Testing

@testable import SettingsKitFiles

/// The guide *The property-list file* gives the reason for each difference that is listed here.
@Suite("What PropertyListSerialization reads is read", .ownThreads)
struct ForeignReadingTests {
    /// Why a file that `PropertyListSerialization` reads is not read.
    private static func reasonNotToRead(_ name: String) -> String? {
        if name.contains("\u{0}"), !name.hasSuffix("</plist>\u{0}\u{0}") {
            return "NUL bytes are left where a part of the file is lost"
        }
        if name.hasPrefix("<date>1234567890") { return "years of more than nine digits" }
        if name == "<dict><?></dict>" { return "not the end of a processing instruction" }
        if name.components(separatedBy: "<key>").count == 3, name.hasSuffix("</plist>"), name.hasPrefix("<plist>") {
            return "keys behind the end"
        }
        if name.contains(": "), !name.hasSuffix(": ASCII"),
            !["utf-8: ", "UTF8: ", ": "].contains(where: name.hasPrefix),
            ForeignDocument.encodings.contains(where: { $0.name == name })
        {
            return "text that is not ASCII in such an encoding"
        }
        if name.hasPrefix("UTF-32, ") { return "UTF-32" }
        if name.hasPrefix("utf-7: ") { return "ASCII that stands for other text" }
        if name.contains("null") || name.contains("number as key") || name.contains("key that is a number") {
            return "not of a property list"
        }
        return name == "object 16 bytes, too large" ? "more than 64 bits" : nil
    }

    /// Why a value is another one.
    private static func reasonForAnotherValue(_ name: String) -> String? {
        if name.contains("\r") { return "line ends are line feeds, as XML requires" }
        if name.contains("<string>\u{FEFF}") { return "a byte order mark is a part of a string" }
        if ["<data>QUJDRA=</data>", "<data>QUJDRA</data>", "<data>ABC</data>"].contains(name) {
            return "no byte is dropped"
        }
        if name == "<string a=\"b>x\">y</string>" { return "a quoted attribute, as in XML" }
        return name == "a repeated key" ? "the last one counts, in both formats" : nil
    }

    @Test("What PropertyListSerialization reads is read, with the same values", arguments: ForeignDocument.all)
    func reads(document: ForeignDocument) throws {
        let expected = Self.dictionary(document.data)
        let members = try? PropertyListReader.readDictionary(document.data)
        guard let expected else { return }
        guard let members else {
            let error = #expect(throws: PropertyListError.self) { try PropertyListReader.read(document.data) }
            #expect(Self.reasonNotToRead(document.name) != nil, "\(String(describing: error))")
            return
        }
        #expect(Self.reasonNotToRead(document.name) == nil)
        let object = try #require(foundationObject(.dictionary(members)) as? NSDictionary)
        #expect(expected.isEqual(object) == (Self.reasonForAnotherValue(document.name) == nil), "\(expected) \(object)")
    }

    @Test(
        "What is no property list, and old-style text, is not read",
        arguments: ["{ a = x; }", "a = x;", " ", "<!-- c -->"])
    func refuses(text: String) {
        #expect(throws: PropertyListError.self) { try PropertyListReader.read(Data(text.utf8)) }
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
