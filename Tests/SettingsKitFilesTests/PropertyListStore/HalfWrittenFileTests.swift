import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// A program writes the property list in place while the store brings it up to date in the background.
@Suite("A file that another program is in the middle of writing")
struct HalfWrittenFileTests {
    private static let edited = Data(xml("<key>a</key><integer>1</integer><key>b</key><string>two</string>").utf8)

    /// Begins an edit at the first call of a kind, and finishes it after the background has run.
    private func edit(at call: FaultyFileSystem.Call, in directory: String) throws -> (String, PropertyListStore) {
        let path = directory + "/Settings.plist"
        try write(xml("<key>a</key><integer>1</integer><key>b</key><string>one</string>"), to: path)
        let fileSystem = FaultyFileSystem()
        let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
        try store.set(key("c"), to: Data("3".utf8))
        let editor = Mutex<Foundation.FileHandle?>(nil)
        fileSystem.after { happened in
            editor.withLock { editor in
                guard happened == call, editor == nil else { return }
                editor = FileHandle(forWritingAtPath: path)
                #expect(throws: Never.self) {
                    try editor?.truncate(atOffset: 0)
                    try editor?.write(contentsOf: Self.edited.prefix(60))
                }
            }
        }
        try store.list.finish()
        let handle = try #require(editor.withLock { $0 })
        try handle.write(contentsOf: Self.edited.dropFirst(60))
        try handle.close()
        return (path, store)
    }

    @Test(
        "The background does not replace it, whenever that begins, and takes the edit over when it is complete",
        arguments: [FaultyFileSystem.Call.create, .write, .synchronize])
    func inBackground(call: FaultyFileSystem.Call) throws {
        try withTemporaryDirectory { directory in
            let (path, store) = try edit(at: call, in: directory)
            #expect(try bytes(of: path) == Self.edited)
            try store.refresh()
            #expect(store.get(key("b")) == Data(#""two""#.utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1), "b": .string("two"), "c": .integer(3)])
            #expect(try names(in: directory) == ["Settings.plist"])
        }
    }
}
