import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("A symbolic link stays a link")
struct SymbolicLinkTests {
    /// How links in the directory lead from `Settings.plist` to `real/Target.plist`. The second link of a chain is relative to
    /// its own directory.
    static let links: [[String: String]] = [
        ["Settings.plist": "real/Target.plist"],
        ["Settings.plist": "links/second", "links/second": "../real/Target.plist"],
        ["alias": "real", "Settings.plist": "alias/Target.plist"],
    ]

    private func withLinks(_ links: [String: String], _ body: (_ path: String, _ target: String) throws -> Void) throws
    {
        try withTemporaryDirectory { directory in
            for name in ["real", "links"] { try makeDirectory("\(directory)/\(name)") }
            for (name, destination) in links { try link("\(directory)/\(name)", to: destination) }
            try body("\(directory)/Settings.plist", "\(directory)/real/Target.plist")
        }
    }

    @Test("The target is read, or made, and replaced; the link stays", arguments: links, [true, false])
    func target(links: [String: String], isThere: Bool) throws {
        try withLinks(links) { path, target in
            if isThere { try write(xml("<key>a</key><integer>1</integer>"), to: target) }
            let store = try open(path)
            #expect(store.get(key("a")) == (isThere ? Data("1".utf8) : nil))
            try store.set(key("b"), to: Data("2".utf8))
            try store.bringUpToDate()
            #expect(try isLink(path) && !isLink(target))
            #expect(try members(of: target) == (isThere ? ["a": .integer(1)] : [:]).merging(["b": .integer(2)]) { $1 })
            #expect(try names(in: URL(fileURLWithPath: target).deletingLastPathComponent().path) == ["Target.plist"])
        }
    }
}
