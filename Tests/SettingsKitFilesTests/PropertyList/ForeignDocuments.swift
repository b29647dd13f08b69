import Foundation

@testable import SettingsKitFiles

/// Property lists that other programs may write, well-formed and not, for a comparison with `PropertyListSerialization`.
struct ForeignDocument: Sendable, CustomStringConvertible {
    /// The text, or what is special about the file.
    var name: String
    var data: Data

    var description: String { name }

    static let all = values + elements + documents + encodings + binaries

    /// A document with the key `a`.
    private static func holding(_ value: String) -> ForeignDocument {
        ForeignDocument(
            name: value,
            data: Data("<plist version=\"1.0\">\n<dict>\n\t<key>a</key>\n\t\(value)\n</dict>\n</plist>\n".utf8))
    }

    private static func text(_ text: String) -> ForeignDocument { ForeignDocument(name: text, data: Data(text.utf8)) }

    // MARK: Values

    static let values: [ForeignDocument] = [
        ("date", dates), ("integer", integers), ("real", reals), ("string", strings), ("data", base64),
    ].flatMap { element, texts in texts.map { holding("<\(element)>\($0)</\(element)>") } }

    private static let dates = [
        "2024-01-32T20:43:14Z", "2024-00-01T00:00:00Z", "2024-13-01T00:00:00Z", "2023-13-31T00:00:00Z",
        "2024-15-01T00:00:00Z",
        "2024-99-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-02-31T00:00:00Z", "2023-02-29T00:00:00Z",
        "2024-12-99T00:00:00Z",
        "2024-01-01T24:00:00Z", "2024-01-01T99:99:99Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:60Z",
        "2024-01-01T00:00:99Z",
        "-2024-01-01T00:00:00Z", "--01-01T00:00:00Z", "-01-01T00:00:00Z", "0-01-01T00:00:00Z", "24-01-01T00:00:00Z",
        "00002024-01-01T00:00:00Z", "123456789-01-01T00:00:00Z", "1234567890-01-01T00:00:00Z",
        "12345678901-01-01T00:00:00Z",
        "2024-1-01T00:00:00Z", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z", "2024-01-01T00:00Z",
        "2024-01-01T00:00:00.5Z",
        "2024-01-01T00:00:00+01:00", "0000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
        "10000-01-01T00:00:00Z", " 2024-01-01T00:00:00Z ", "+2024-01-01T00:00:00Z",
    ]

    private static let integers = [
        "-   99", " +\t42", "+42", "- 0", "0", "-0", "00", "007", "0x1F", "0X1f", "-0x1", "0x", "00x1", "+ 0x1", "0x 1",
        "1 ",
        "\n1\n", "\u{A0}1", "\u{2003}1", "\u{200B}1", "\u{3000}1", "\u{1}1", "\u{7F}1", "~1", "1_000", "1,000", "1.0",
        "1e3", "-",
        "+", "", "--1", "+-1", "9223372036854775807", "18446744073709551615", "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809", "0xFFFFFFFFFFFFFFFF", "-0x8000000000000000", "0x10000000000000000", "1<!-- c -->",
        "1\u{0}",
        "\u{0}1", "\u{2028}1", "\u{1680}1", "\u{85}1", "\u{FEFF}1", "\u{202F}1", "\u{205F}1",
    ]

    private static let reals = [
        "1", "1.5", "-1.5", "+1.5", ".5", "5.", "-.5", "1e5", "1E5", "1e+5", "1e-5", "1e", "1e+", "e5", ".", "", "nan",
        "NaN", "inf",
        "-inf", "+inf", "INFINITY", "-infinity", "+Infinity", "infi", " 1", "1 ", "\n1", "1,5", "0x10", "0x1p3",
        "1e400", "-1e400",
        "1e-400", "123456789012345678901234567890", "1&#46;5", "<![CDATA[1.5]]>", "- 1", "--1", "1.5.5", "1e5e5", "1_0",
        "\u{661}",
        "-0", "00.5", "1d5", "\u{A0}1", "\u{FEFF}1", "1.7976931348623157e308", "4.9e-324", "0.1",
        "3.14159265358979323846", "+.5e1",
    ]

    private static let strings = [
        "x", "&amp;&lt;&gt;&quot;&apos;", "&nbsp;", "&#65;", "&#x41;", "&#X41;", "&#x;", "&#;", "&#;;;", "&#0;",
        "&#x0;;", "&#xD800;",
        "&#xFFFE;", "&#xFFFF;", "&#x10FFFF;", "&#x110000;", "&#x0000041;", "&#99999999;", "&#65", "&", "&amp", "&AMP;",
        "a\r\nb",
        "a\rb", "<![CDATA[ <x> ]]>", "<![CDATA[]]>", "<![CDATA[ ]] ]]>", "<![cdata[x]]>", "a<!-- c -->b", "a<b>c</b>",
        "]]>", "\u{0}",
        "a\u{0}b", "\u{1}", "\u{FEFF}x", "\u{FFFE}", "e\u{301}", "  x  ", "<x", "a > b", "<![CDATA[\u{0}]]>",
    ]

    private static let base64 = [
        "", "QUJD", "QUJDRA==", "QUJDRA=", "QUJDRA", "QUJDR", "QUJD====", "QU JD", "\n\tQUJD\n\t", "QUJD!", "Q-UJ_D",
        "&#81;UJD", "=",
        "====", "QQ==QQ==", "QUI=QUI=", "A", "ABC", "Q U I =", "QQ= =", "\u{0}QUJD", "QR==", "QQ=Q", "Q===", "QUI==",
        "QU&JD",
    ]

    // MARK: Elements

    static let elements =
        [
            "<true />", "<true></true>", "<true>x</true>", "<false></false >", "<true/ >", "<true x=\"y\"/>",
            "<true/x>", "<TRUE/>",
            "<true x=/>", "<yes/>", "<string/>", "<data/>", "<integer/>", "<array/>", "<dict/>", "<key/>",
            "<key>k</key>",
            "<array><key>k</key></array>", "<array><string>a</string><key>k</key></array>",
            "<plist><string>x</string></plist>",
            "<plist><dict><key>z</key><true/></dict></plist>", "<plist/>", "<plist></plist>",
            "<plist><true/><true/></plist>",
            "<array><true/></dict>", "<array><true/>", "<dict><key>z</key></dict>", "<dict><string>z</string></dict>",
            "<dict><key>z</key><true/><true/></dict>", "<array>text</array>", "<array><!-- c --><true/><?p?></array>",
            "<array><![CDATA[x]]></array>", "<string a=\"b\">x</string>", "<string a='b'>x</string>",
            "<string a=\"b>x</string>",
            "<string a=\"b>x\">y</string>", "<string a<b>x</string>", "<string /b>x</string>", "<string b/c>x</string>",
            "<string\t>x</string\n>", "<string>x</string x>", "< string>x</string>", "<string \u{0}>x</string>",
            "<array a=\"/\"><true/></array>", "<array a=/><true/>", "<array /x><true/></array>", "<strings>x</strings>",
            "<dict><key>CF$UID</key><integer>3</integer><key>z</key><true/></dict>", "<set><true/></set>",
            "<integer>1</integer><key>b</key><foo/>", "<dict key=\"1\"><key x=\"1\">z</key><true/></dict>",
            "<dict><!-- a -- b --></dict>", "<dict><!----></dict>", "<dict><?></dict>", "<dict><??></dict>",
            "<array><plist><true/></plist></array>", "<plist><key>k</key></plist>",
        ].map { holding($0) }
        + ["", "&amp;", "<![CDATA[k]]>", "\u{0}", "&#0;", " k ", "e\u{301}"].map {
            holding("<string>v</string><key>\($0)</key><string>w</string>")
        }

    // MARK: Documents

    private static let dictionary = "<dict><key>a</key><string>x</string></dict>"
    private static let list = "<plist>\(dictionary)</plist>"

    static let documents = [
        dictionary, list, "<plist version=\"1.0\">\(dictionary)", "<plist version=\"1.0\">\(dictionary)</plist",
        "\(dictionary)garbage",
        "\(list)garbage", "\(list)\u{0}\u{0}", "\(list)<!-- open", "\(list)</plist>", "\(list)\(list)",
        "<plist>\(dictionary)x</plist>",
        "<plist>\(dictionary)\(dictionary)</plist>", " \n\(list)", "\u{0}\(list)", "\u{B}\(list)", "<!-- c -->\(list)",
        "<?p?>\(list)",
        "<!DOCTYPE plist>\(list)", "<!DOCTYPE plist><!DOCTYPE plist>\(list)", "<!DOCTYPE plist [<!ELEMENT x>]>\(list)",
        "<!DOCTYPE plist \"x>\(list)", "<!DOCTYPE plist <x>\(list)", "<!DOCTYPEplist>\(list)",
        "<!doctype plist>\(list)",
        "<!ELEMENT x>\(list)", "<plist>\(list)</plist>", "<plist \(dictionary)</plist>",
        "<plist version=\"1.0>\(dictionary)</plist>",
        "<plist version=1.0>\(dictionary)</plist>", "<plist><!DOCTYPE x>\(dictionary)</plist>",
        "<dict><key>a</key><key>b</key></dict>",
        "<dict><key>a</key><string>1</string><key>a</key><string>2</string></dict>", "\(dictionary.dropLast(2))>",
        "<dict><key>a</key><string>x</string></plist>", "<xml>\(dictionary)</xml>",
        "<?xml version=\"1.0\"?>\(dictionary)",
        "<?xml ?>\(dictionary)", "<?xml encoding=UTF-8?>\(dictionary)",
        "<?xml encoding = \"ISO-8859-1\"?>\(dictionary)",
        "<?xml encoding=\"UTF-8?>\(dictionary)", " <?xml encoding=\"ISO-8859-1\"?>\(dictionary)", "{ a = x; }",
        "a = x;", " ", "<!-- c -->",
    ].map { text($0) }

    // MARK: Encodings

    static let encodings: [ForeignDocument] =
        [
            "utf-8", "UTF8", "us-ascii", "ASCII", "ANSI_X3.4-1968", "ISO-8859-1", "iso8859-1", "latin1", "ISO-8859-15",
            "windows-1252",
            "cp1252", "windows-1251", "macintosh", "Shift_JIS", "EUC-JP", "KOI8-R", "UTF-16", "utf-7", "unheard-of", "",
        ].flatMap { name in
            let start = Data("<?xml version=\"1.0\" encoding=\"\(name)\"?><dict><key>a</key><string>x".utf8)
            let end = Data("</string></dict>".utf8)
            return [
                ForeignDocument(name: "\(name): ASCII", data: start + end),
                ForeignDocument(name: "\(name): E9", data: start + [0xE9] + end),
                ForeignDocument(name: "\(name): E9 80 93", data: start + [0xE9, 0x80, 0x93] + end),
                ForeignDocument(name: "\(name): 80 81 9F FF", data: start + [0x80, 0x81, 0x9F, 0xFF] + end),
                ForeignDocument(
                    name: "\(name) behind a mark of UTF-8", data: [0xEF, 0xBB, 0xBF] + start + Data("é".utf8) + end),
            ]
        }
        + [(2, true), (2, false), (4, true), (4, false)].flatMap { size, isBigEndian in
            ["utf-8", "ISO-8859-1", "UTF-16"].flatMap { name in
                let text = "<?xml version=\"1.0\" encoding=\"\(name)\"?><dict><key>a</key><string>é😀</string></dict>"
                let file = wide(text, size, isBigEndian)
                let title = "UTF-\(8 * size), \(isBigEndian ? "big" : "little"), declared \(name)"
                return [
                    ForeignDocument(name: title, data: file),
                    ForeignDocument(name: title + ", no mark", data: file.dropFirst(size)),
                    ForeignDocument(name: title + ", half a unit more", data: file + [0x20]),
                    ForeignDocument(name: title + ", cut", data: file.dropLast(size)),
                ]
            }
        }

    private static func wide(_ text: String, _ size: Int, _ isBigEndian: Bool) -> Data {
        let marked = "\u{FEFF}" + text
        let units = size == 2 ? marked.utf16.map { UInt32($0) } : marked.unicodeScalars.map(\.value)
        return Data(
            units.flatMap { unit in
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: unit >> (8 * UInt32($0))) }
                return isBigEndian ? bytes.reversed() : bytes
            })
    }
}
