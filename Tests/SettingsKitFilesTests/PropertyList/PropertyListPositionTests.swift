import Foundation
import SettingsKitCore
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

    @Test("A mistake in a binary file is given by its byte")
    func binary() {
        let file = Data("bplist00".utf8) + [0x7F, 8] + Data(count: 6) + [1, 1] + Data(count: 7) + [1] + Data(count: 8)
        let found = error(file + Data(count: 7) + [9])
        #expect(found == PropertyListError(.malformed, at: 8))
        #expect(found?.description == "The property list is malformed (at byte 8).")
    }
}
