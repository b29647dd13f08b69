import Foundation

/// Values and names that stores often get wrong.
enum Samples {
    static let data: [(String, Data)] =
        [
            ("No bytes at all", Data()),
            ("A zero byte", Data([0])),
            ("Every byte", Data(0...255)),
            ("Invalid UTF-8", Data([0x22, 0xC3, 0x28, 0x22])),
            ("A byte order mark", Data([0xEF, 0xBB, 0xBF, 0x31])),
            ("A megabyte", Data(repeating: 0xA5, count: 1 << 20)),
            ("A binary property list's beginning", Data("bplist00".utf8)),
            ("Something like XML", Data("<plist><dict/></plist>]]>&amp;".utf8)),
        ] + texts.map { ("The text \($0.debugDescription)", Data($0.utf8)) }

    /// JSON that has more than one spelling, and texts that are almost JSON.
    private static let texts = [
        // Words and numbers.
        "null", "true", "false", "0", "-0", "1", "1.0", "01", "1e5", "1E+5", "0.1", "1e400", "nan",
        "-9223372036854775808", "9223372036854775807", "18446744073709551615", "18446744073709551616",
        "3.141592653589793238462643383279",
        // Strings.
        "\"\"", "\"text\"", "\"a/b\"", "\"a\\/b\"", "\"\\u0041\"", "\"\\n\"", "\"\n\"", "\"\\u0000\"",
        "\"\u{1F600}\"", "\"e\u{301}\"", "\"\u{E9}\"", "\"\\ud83d\"",
        // Arrays and dictionaries.
        "[]", "[1,2,3]", "[1, 2, 3]", "[null]", "[[[]]]", "{}", "{\"a\":1,\"b\":[true]}",
        "{\"b\":1,\"a\":2}",
        "{\"a\":1,\"a\":2}", "{ \"a\" : 1 }", "{\"a\":null}", "{\"\":\"\"}",
        // Not JSON.
        "[1,]", "\"open", " 1", "1 ", "1\n",
    ]

    /// A name for a message: the beginning of it.
    static func short(_ name: String) -> Substring { name.debugDescription.prefix(80) }

    static let names = [
        "plain", "with.dots.in.it", "with space", " leading and trailing ", "a/b", "../up", ".", "..",
        "%2F",
        "a:b", "a\\b", "emoji \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "line\nbreak",
        "carriage\r\nreturn",
        "tab\tstop", "quote\"'`", "<tag attribute=\"1\">&amp;</tag>", "]]>", "\u{1}\u{1F}",
        "\u{FFFE}\u{FFFF}",
        "\u{202E}right to left", "CF$UID", "select * from settings; --", "$(HOME)", "null", "0", "-1",
        "SettingsKit-escaped:%41", "\u{43A}\u{43B}\u{44E}\u{447}", "cafe\u{301}", "\u{FEFF}", "%_\\", "?1", "{\"}",
        String(repeating: "long ", count: 819) + "x", String(repeating: "\u{FC}", count: 2_048),
    ]
}
