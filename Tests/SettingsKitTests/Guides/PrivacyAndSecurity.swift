import Foundation
import SettingsKit
import SettingsSQLite
import Testing

@Suite("Privacy and security")
struct PrivacyTests {
    @Test("A secret setting is hidden in a catalogue's output, and read by the program")
    func secret() throws {
        let settings = SettingsService(storesForCustomScopes: [.custom(id: "keychain"): MemoryStore()])
        try settings.save(.token, to: "t-4711")
        let catalogue = SettingsCatalogue("Program") {
            SettingsGroup("Server", [.token])
        }
        #expect(settings[.token] == "t-4711")
        for output in [catalogue.table(in: settings), catalogue.json(in: settings), settings.text(of: .token)] {
            #expect(output.contains("•••") && !output.contains("t-4711"))
        }
    }

    @Test("New files have the mode 0600 and new directories 0700, as the guide says, whatever the umask")
    func modes() async throws {
        let guide = try Guide("PrivacyAndSecurity")
        let file = "a new property list, log, file of a replica, database"
        #expect(guide.row(file)?.first == "`0600`: only its owner")
        #expect(guide.row("a directory that a store creates")?.first == "`0700`: only its owner")
        try await withTemporaryFolder { folder in
            let number = Setting<Int>("number", in: .defaults, default: 0)
            let stores: [any SettingsStore] = [
                try PropertyListStore(url: folder.appending(path: "List/Settings.plist")),
                try DirectoryStore(at: folder.appending(path: "Shared"), state: folder.appending(path: "State")),
                try SQLiteStore(at: folder.appending(path: "Database/Vault.sqlite")),
            ]
            for store in stores {
                let settings = SettingsService(defaults: store)
                try settings.save(number, to: 1)
                try settings.bringUpToDate()
                try settings.save(number, to: 2)
            }
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            let names = ["Settings.plist", "Settings.plist-log", "State-log", "Vault.sqlite", "Vault.sqlite-wal"]
            for name in names {
                #expect(paths.contains { $0.hasSuffix("/\(name)") }, "\(name)")
            }
            #expect(paths.contains { $0.hasPrefix("Shared/Settings-") })
            for path in paths {
                // A temporary file may be gone by now.
                guard
                    let attributes = try? FileManager.default.attributesOfItem(
                        atPath: folder.appending(path: path).path)
                else { continue }
                let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
                #expect(attributes[.posixPermissions] as? Int == (isDirectory ? 0o700 : 0o600), "\(path)")
            }
        }
    }

    /// The interfaces that need a reason, by category.
    private static let categories = [
        "FileTimestamp": "stat|lstat|fstat|fstatat|getattrlist|(file|content|)(m|M)odificationDate|creationDate",
        "DiskSpace": "statfs|fstatfs|statvfs|fstatvfs|volumeAvailableCapacityKey|systemFreeSize|systemSize",
        "UserDefaults": "UserDefaults", "SystemBootTime": "systemUptime|mach_absolute_time",
        "ActiveKeyboards": "activeInputModes",
    ]

    /// A product has the manifests of its targets, so each target with such a call has one.
    @Test(
        "Each target has the privacy manifest that its own code needs, with reasons that the guide lists",
        arguments: [
            "SettingsKitCore", "SettingsKitPlatform", "SettingsKitFiles", "SettingsKitUserDefaults", "SettingsKit",
            "SettingsSQLite", "SettingsEtcd", "SettingsCommandLine", "SettingsTestKit",
        ])
    func manifest(of target: String) throws {
        let folder = Guide.package.appending(path: "Sources/\(target)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var used: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let code = lines.filter { !$0.contains(/^ *\/\//) }.joined(separator: "\n")
            for (category, interfaces) in Self.categories
            where try code.contains(Regex("(^|[^\\w\"])(\(interfaces))[(.]")) {
                used.insert("NSPrivacyAccessedAPICategory\(category)")
            }
        }
        let data = FileManager.default.contents(atPath: folder.path + "/PrivacyInfo.xcprivacy")
        let manifest = try data.map { try PropertyListSerialization.propertyList(from: $0, format: nil) }
        let entries = (manifest as? [String: Any])?["NSPrivacyAccessedAPITypes"] as? [[String: Any]] ?? []
        #expect(Set(entries.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }) == used)
        let guide = try Guide("PrivacyAndSecurity")
        for entry in entries {
            let category = try #require(entry["NSPrivacyAccessedAPIType"] as? String)
            let reasons = try #require(entry["NSPrivacyAccessedAPITypeReasons"] as? [String])
            let row = try #require(guide.row("`\(category)`"))
            #expect(reasons.allSatisfy { reason in row.contains { $0.contains("`\(reason)`") } })
        }
    }
}
