import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

/// An edit by hand that leaves a value that a setting cannot have.
@Suite("An edit that makes a value undecodable")
struct UndecodableEditTests {
    private enum Theme: String, Codable, Sendable { case light, dark }

    private let theme = SettingsService.Setting<Theme>("theme", in: .defaults, default: .light)
    private let port = SettingsService.Setting<Int>("port", in: .defaults, default: 80)

    private static func plist(theme: String, port: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- Edited by hand. -->
        <plist version="1.0">
        <dict>
            <key>inner</key>
            <dict>
                <key>port</key>
                <integer>1</integer>
            </dict>
            <key>theme</key>
            <string>\(theme)</string>
            <key>port</key> \(port)
        </dict>
        </plist>

        """
    }

    private func withStore(
        _ text: String, _ body: (PropertyListStore, URL, SettingsService, Recorder<SettingsError>) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let file = folder.appendingPathComponent("Settings.plist")
        try Data(text.utf8).write(to: file)
        let store = try PropertyListStore(
            path: file.path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(600))
        let (settings, problems) = SettingsService.over(store)
        try body(store, file, settings, problems)
    }

    @Test("The last good value stays in force, and the diagnosis names key, file and line")
    func lineIsTold() throws {
        try withStore(Self.plist(theme: "dark", port: "<integer>8080</integer>")) { store, file, settings, problems in
            #expect(settings.get(theme) == .dark && settings.get(port) == 8080)
            try Data(Self.plist(theme: "hunter2", port: "<string>hunter2</string>").utf8).write(to: file)
            try store.refresh()
            #expect(settings.get(theme) == .dark && settings.get(port) == 8080)
            let found = problems.all.filter { $0.code == .decodingFailed }
            #expect(Set(found.map { "\($0.key?.name ?? "") \($0.line ?? 0)" }) == ["theme 11", "port 12"])
            for problem in found {
                #expect(
                    problem.description.contains("Store: \(store.storeDescription), line \(problem.line ?? 0)."))
                #expect(problem.description.contains(file.path) && !problem.description.contains("hunter2"))
            }
        }
    }

    @Test("A value that is undecodable when the program starts is diagnosed with its line, too")
    func atStart() throws {
        try withStore(Self.plist(theme: "hunter2", port: "<integer>1</integer>")) { _, _, settings, problems in
            #expect(settings.get(theme) == .light)
            #expect(problems.all.map(\.line) == [11])
        }
    }

    @Test("A problem has no line if the undecodable bytes are not in the file")
    func noLine() throws {
        try withStore(Self.plist(theme: "dark", port: "<integer>1</integer>")) { store, file, settings, problems in
            // In the log only.
            try store.set(theme.key, to: Data("\"hunter2\"".utf8))
            #expect(settings.get(theme) == .light)
            #expect(problems.all.map(\.line) == [nil])
            #expect(store.line(of: "absent", holding: Data("1".utf8)) == nil)
            #expect(store.line(of: "port", holding: Data("1".utf8)) == 12)
            try Data("bplist00".utf8).write(to: file)
            #expect(store.line(of: "port", holding: Data("1".utf8)) == nil)
            try FileManager.default.removeItem(at: file)
            #expect(store.line(of: "port", holding: Data("1".utf8)) == nil)
        }
    }
}
