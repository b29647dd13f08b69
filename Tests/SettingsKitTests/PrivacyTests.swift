import Foundation
import SettingsKit
import SettingsSQLite
import Testing

// The Swift snippet of the article about privacy, as compiled code; see DocumentationSnippetTests.swift.

extension SettingsService.SettingDefinition {
    fileprivate static let token = Setting<String?>(
        "token", in: .custom(id: "keychain"), isSecret: true)
}

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
        let file = "a new property list, journal, file of a replica, database"
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
                try settings.synchronize()
                try settings.save(number, to: 2)
            }
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            let names = ["Settings.plist", "Settings.plist-journal", "State.plist", "Vault.sqlite", "Vault.sqlite-wal"]
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

    @Test("The interfaces that need a reason in a privacy manifest are those that the guide lists")
    func interfacesWithReasons() throws {
        let interfaces = [
            "stat", "lstat", "fstat", "fstatat", "statfs", "fstatfs", "statvfs", "fstatvfs", "getattrlist",
            "UserDefaults", "systemUptime", "mach_absolute_time", "activeInputModes", "creationDate",
            "modificationDate", "fileModificationDate", "contentModificationDateKey", "creationDateKey",
            "volumeAvailableCapacityKey", "systemFreeSize", "systemSize",
        ]
        var used: Set<String> = []
        for target in [
            "SettingsKitCore", "SettingsKitPlatform", "SettingsKitFiles", "SettingsKitUserDefaults",
            "SettingsKitEssentials", "SettingsKit", "SettingsSQLite",
        ] {
            let folder = Guide.package.appending(path: "Sources/\(target)")
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let code = Self.codeForApplePlatforms(in: try String(contentsOf: file, encoding: .utf8))
                for interface in interfaces where try code.contains(Regex("(^|[^\\w\"])\(interface)[(.]")) {
                    used.insert(interface)
                }
            }
        }
        let section = try Guide("PrivacyAndSecurity").text.components(separatedBy: "## Privacy manifest")[1]
        let listed = Set(interfaces.filter { section.contains("`\($0)`") })
        #expect(used == listed)
    }

    /// The lines that are no comments, without the branches that only other platforms compile.
    private static func codeForApplePlatforms(in text: String) -> String {
        // Of each open condition, whether its present branch and the other one are compiled for any Apple platform.
        var branches: [(present: Bool, other: Bool)] = []
        var code: [Substring] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            switch words.first {
            case "#if":
                let condition = words.dropFirst().joined(separator: " ")
                let isElsewhere = ["os(Linux)", "canImport(Glibc)", "!canImport(Darwin)"].contains(condition)
                branches.append((!isElsewhere, condition != "canImport(Darwin)"))
            case "#else": if let last = branches.popLast() { branches.append((last.other, last.present)) }
            case "#endif": _ = branches.popLast()
            default:
                let isComment = words.first?.hasPrefix("//") ?? false
                if !isComment, branches.allSatisfy(\.present) { code.append(line) }
            }
        }
        return code.joined(separator: "\n")
    }
}
