import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Recovering what stands behind a mistake")
struct RecoveryBehindMistakesTests {
    private static let flat = (0..<6).map { PropertyListMember(key: "k\($0)", value: .string("v\($0)")) }

    private static func text(_ members: [PropertyListMember], isIndented: Bool) throws -> String {
        let text = String(decoding: try XMLPropertyListWriter.write(members), as: UTF8.self)
        return isIndented ? text : text.replacingOccurrences(of: "\n\t*", with: "", options: .regularExpression)
    }

    private func recover(_ text: String) -> [PropertyListMember] { PropertyListReader.recover(Data(text.utf8)) }

    private func keys(_ text: String) -> [String] { recover(text).map(\.key) }

    @Test(
        "One mistyped tag in a flat dictionary costs its own pair, and at most the pair before it",
        arguments: [
            ("<key>k3</key>", "<kye>k3</key>", ["k3"]), ("<key>k3</key>", "<key>k3</kez>", ["k3"]),
            ("<key>k3</key>", "key>k3</key>", ["k2", "k3"]), ("<string>v3</string>", "<sting>v3</string>", ["k3"]),
            ("<string>v3</string>", "<string>v3</strin>", ["k3"]), ("<string>v3</string>", "<string>v3", ["k3"]),
            ("<string>v3</string>", "v3</string>", ["k3"]), ("<string>v3</string>", "<string>v3&</string>", ["k3"]),
            ("<string>v3</string>", "<string/>v3</string>", ["k3"]), ("<string>v3</string>", "", ["k3"]),
            ("<key>k3</key>", "", ["k2", "k3"]), ("<string>v3</string>", "<integer>v3</integer>", ["k3"]),
        ], [true, false])
    func flat(mistake: (String, String, [String]), isIndented: Bool) throws {
        let text = try Self.text(Self.flat, isIndented: isIndented)
        let damaged = text.replacingOccurrences(of: mistake.0, with: mistake.1)
        #expect(damaged != text)
        #expect(recover(damaged) == Self.flat.filter { !mistake.2.contains($0.key) })
    }

    @Test(
        "An inner dictionary whose start tag is mistyped gives none of its keys to the outermost one",
        arguments: [
            "<dikt>", "<dict/>", "dict>", "",
        ])
    func lostStart(tag: String) {
        for end in ["</dict></plist>", "</dict>"] {
            let start = end.hasSuffix("</plist>") ? "<plist><dict>" : "<dict>"
            let inner = "<key>b</key>\(tag)<key>x</key><true/><key>y</key><true/></dict>"
            #expect(!keys(start + "<key>a</key><true/>" + inner + "<key>c</key><true/>" + end).contains("x"))
            if tag != "<dict/>" || end.hasSuffix("</plist>") {
                // Otherwise the first end tag ends the document, and nothing is lost behind it.
                #expect(!keys(start + "<key>a</key><true/>" + inner + end).contains("y"))
            }
            let indented =
                "\(start)\n\t<key>a</key>\n\t<true/>\n\t<key>b</key>\n\t\(tag)\n\t\t<key>x</key>\n\t\t<true/>\n\t</dict>\n"
                + "\t<key>c</key>\n\t<true/>\n\(end)"
            #expect(keys(indented) == ["a", "c"])
        }
    }

    @Test(
        "A value that something follows which cannot is given up, since it may be half of one",
        arguments: [
            "<string/>text</string>", "<true/><integer>5</integer>", "<array/><true/></array>",
            "<integer>5</integer></array>",
            "<true/>\n=======\n",
        ])
    func half(value: String) {
        let text = "<plist><dict><key>a</key><true/><key>b</key>\(value)<key>c</key><true/></dict></plist>"
        #expect(keys(text) == ["a", "c"])
    }

    @Test("What stands in a comment behind a mistake is not recovered")
    func comments() {
        let before = "<plist>\n<dict>\n\t<key>a</key>\n\t<integer>oops</integer>\n"
        let pair = "\t<key>old</key>\n\t<true/>\n"
        let after = "\t<key>b</key>\n\t<true/>\n</dict>\n</plist>\n"
        #expect(keys(before + "\t<!--\n" + pair + "\t-->\n" + after) == ["b"])
        // Mistyped itself, at its beginning and at its end.
        #expect(keys(before + "\t<!-\n" + pair + "\t-->\n" + after) == ["b"])
        #expect(keys(before + "\t<!--\n" + pair + "\t->\n" + after) == [])
        #expect(keys(before + "\t<sting><![CDATA[\n" + pair + "]]></sting>\n" + after) == ["b"])
    }

    @Test("The keys of an inner dictionary that is indented like the outermost one are not taken for its own")
    func misleadingIndentation() {
        let inner = "\t<key>b</key>\n\t<dict>\n\t<key>x</key>\n\t<true/>\n\t</dict>\n"
        let start = "<plist>\n<dict>\n\t<key>a</key>\n\t<true/>\n"
        let mistake = "\t<key>c</key>\n\t<integer>oops</integer>\n"
        #expect(!keys(start + inner + mistake + "\t<key>d</key>\n\t<true/>\n</dict>\n</plist>").contains("x"))
        #expect(!keys(start + inner + mistake + "</dict>\n</plist>").contains("x"))
        // Cut inside.
        #expect(keys(start + "\t<key>b</key>\n\t<dict>\n\t<key>x</key>\n\t<true/>\n") == ["a"])
    }

    @Test("The rest of an older, longer file behind the end is not recovered")
    func tail() throws {
        let older = try Self.text(Self.flat, isIndented: true)
        let newer = try Self.text([PropertyListMember(key: "k0", value: .string("new"))], isIndented: true)
        let mixed = newer + older.suffix(older.utf8.count - newer.utf8.count)
        #expect(recover(mixed) == [PropertyListMember(key: "k0", value: .string("new"))])
    }

    @Test("The marks of a merge conflict cost what stands between them")
    func conflict() {
        let text = """
            <plist>
            <dict>
            \t<key>a</key>
            \t<true/>
            <<<<<<< ours
            \t<key>b</key>
            \t<integer>1</integer>
            =======
            \t<key>b</key>
            \t<integer>2</integer>
            >>>>>>> theirs
            \t<key>c</key>
            \t<true/>
            </dict>
            </plist>
            """
        #expect(keys(text) == ["a", "c"])
    }

    @Test("A key whose last value is damaged has no earlier one")
    func repeated() {
        let text = "<plist><dict><key>a</key><true/><key>b</key><true/><key>a</key><nil/></dict></plist>"
        #expect(keys(text) == ["b"])
    }

    @Test("What stands behind a mistake in a file that is also cut is not recovered")
    func mistakeAndCut() {
        #expect(
            keys("<plist>\n<dict>\n\t<key>a</key>\n\t<true/>\n\t<key>b</key>\n\t<nil/>\n\t<key>c</key>\n\t<true/>\n")
                == ["a"])
    }

    @Test("An end tag too many costs the pair before it, where the file is indented")
    func endTooMany() throws {
        let text = try Self.text(Self.flat, isIndented: true)
            .replacingOccurrences(of: "\t<key>k3", with: "\t</dict>\n\t<key>k3")
        #expect(recover(text).map(\.key) == ["k0", "k1", "k3", "k4", "k5"])
    }

    @Test("An end tag that is missing does not hand the following pairs to the last dictionary")
    func lostEnd() {
        let inner = "<key>b</key><dict><key>x</key><true/>"
        #expect(keys("<plist><dict><key>a</key><true/>\(inner)<key>c</key><true/></dict></plist>") == ["a"])
        #expect(keys("<plist><dict><key>a</key><true/>\(inner)<key>c</key><true/></dict>") == ["a"])
        #expect(keys("<dict><key>a</key><true/>\(inner)<key>c</key><true/></dict>") == ["a"])
    }
}
