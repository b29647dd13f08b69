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

    @Test("The last good value stays in force, and the diagnosis names key, file and line, not the value")
    func lineIsTold() throws {
        try withPropertyList { path in
            try write(Self.plist(theme: "dark", port: "<integer>8080</integer>"), to: path)
            let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(600))
            let (settings, problems) = SettingsService.over(store)
            #expect(settings.get(theme) == .dark && settings.get(port) == 8080)
            try write(Self.plist(theme: "hunter2", port: "<string>hunter2</string>"), to: path)
            try store.refresh()
            #expect(settings.get(theme) == .dark && settings.get(port) == 8080)
            let found = problems.all.filter { $0.code == .decodingFailed }
            #expect(Set(found.map { "\($0.key?.name ?? "") \($0.line ?? 0)" }) == ["theme 11", "port 12"])
            for problem in found {
                #expect(problem.description.contains("Store: \(store.storeDescription), line \(problem.line ?? 0)."))
                #expect(problem.description.contains(path) && !problem.description.contains("hunter2"))
            }
        }
    }
}
