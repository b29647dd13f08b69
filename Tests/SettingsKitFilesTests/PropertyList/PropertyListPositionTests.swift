import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Where a mistake stands in a property list")
struct PropertyListPositionTests {
    private func error(_ text: String) -> PropertyListError? { error(Data(text.utf8)) }

    private func error(_ data: Data) -> PropertyListError? {
        do throws(PropertyListError) {
            _ = try PropertyListReader.read(data)
            return nil
        } catch {
            return error
        }
    }

    @Test("A mistake in XML is given by line and column, and by byte")
    func xml() {
        let text = "<plist>\n<dict>\n\t<key>a</key>\n\t<integer>1</integr>\n</dict>\n</plist>\n"
        #expect(error(text) == PropertyListError(.malformed, at: 40, TextPosition(line: 4, column: 12)))
        #expect(error(text)?.description == "The property list is malformed (line 4, column 12).")
    }

    @Test("Lines end with a line feed, a carriage return, or both", arguments: ["\n", "\r", "\r\n"])
    func lineEnds(end: String) {
        #expect(error("<plist>\(end)\(end)  <nil/>")?.position == TextPosition(line: 3, column: 3))
    }

    @Test("Columns count Unicode scalars, and no byte order mark")
    func columns() {
        #expect(error("\u{FEFF}<plist><integer>x</integer></plist>")?.position == TextPosition(line: 1, column: 8))
        #expect(error("\u{FEFF}<plist><integer>x</integer></plist>")?.offset == 10)
        let text = "<array>\n<string>\u{E9}\u{6F22}\u{1F600}e\u{301}</string><nil/></array>"
        #expect(error(text)?.position == TextPosition(line: 2, column: 23))
    }

    @Test("A file that ends too early is given by the place of its end")
    func end() {
        #expect(error("<plist>\n<dict>\n")?.description == "The property list ends too early (line 3, column 1).")
        #expect(error("<plist>\r")?.position == TextPosition(line: 2, column: 1))
    }

    @Test("A mistake in UTF-16 has a line and a column, but no byte")
    func utf16() {
        let text = "\u{FEFF}<plist>\n\u{1F600}"
        let data = Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        #expect(error(data) == PropertyListError(.malformed, at: nil, TextPosition(line: 2, column: 1)))
    }

    @Test("A mistake in a binary file is given by its byte")
    func binary() {
        let file = Data("bplist00".utf8) + [0x7F, 8] + Data(count: 6) + [1, 1] + Data(count: 7) + [1] + Data(count: 8)
        let found = error(file + Data(count: 7) + [9])
        #expect(found == PropertyListError(.malformed, at: 8))
        #expect(found?.description == "The property list is malformed (at byte 8).")
    }

    @Test("An error without a place says what is wrong")
    func placeless() {
        #expect(PropertyListError(.empty).description == "The property list is empty.")
    }
}

@Suite("The line of a key in a property list")
struct KeyLineTests {
    private func line(_ key: String, _ text: String) -> Int? {
        PropertyListReader.line(ofKey: key, in: Data(text.utf8))
    }

    @Test("Each key of a file is found on its line, however long the values are")
    func everyKey() throws {
        let file = try XMLPropertyListWriter.write(sampleMembers, comment: "a comment")
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for member in sampleMembers {
            let tag = "\t<key>\(member.key.replacingOccurrences(of: "&", with: "&amp;"))</key>"
            let number = lines.firstIndex { $0 == tag }.map { $0 + 1 }
            #expect(number != nil)
            #expect(PropertyListReader.line(ofKey: member.key, in: file) == number, "\(member.key)")
        }
        #expect(PropertyListReader.line(ofKey: "inner", in: file) == nil)
        #expect(PropertyListReader.line(ofKey: "", in: file) == nil)
    }

    @Test("An escaped key is found under its own name, and of a repeated one the last")
    func repeated() throws {
        let file = try XMLPropertyListWriter.write([PropertyListMember(key: "a\u{1}", value: .boolean(true))])
        #expect(PropertyListReader.line(ofKey: "a\u{1}", in: file) == 5)
        #expect(line("a", "<dict>\n<key>a</key><true/>\n<key>b</key><true/>\n<key>a</key><false/>\n</dict>") == 4)
    }

    @Test("A key is found in a file that is not indented, or only here and there")
    func indentation() {
        let text =
            "<plist><dict>\n\t<key>a</key>\n\t<dict>\n\t<key>x</key>\n<true/></dict>\n  <key>b</key><true/></dict></plist>"
        #expect(line("a", text) == 2)
        #expect(line("b", text) == 6)
        #expect(line("x", text) == nil)
    }

    @Test("A key is found before and behind a mistake, and with the mistake in its value")
    func damaged() {
        let text =
            "<plist>\n<dict>\n\t<key>a</key>\n\t<true/>\n\t<key>b</key>\n\t<bad/>\n\t<key>c</key>\n\t<true/>\n</dict>\n</plist>"
        #expect(line("a", text) == 3)
        #expect(line("b", text) == 5)
        #expect(line("c", text) == 7)
    }

    @Test("There is no line in a binary file, in one that is no dictionary, and in no file")
    func none() {
        #expect(line("a", "bplist00<dict><key>a</key><true/></dict>") == nil)
        #expect(line("a", "<array><dict><key>a</key><true/></dict></array>") == nil)
        #expect(line("a", "a") == nil)
        #expect(line("a", "") == nil)
    }
}
