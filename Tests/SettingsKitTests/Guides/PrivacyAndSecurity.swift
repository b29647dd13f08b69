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
        "FileTimestamp": [
            "stat", "lstat", "fstat", "fstatat", "getattrlist", "creationDate", "modificationDate",
            "fileModificationDate", "contentModificationDateKey", "creationDateKey",
        ],
        "DiskSpace": [
            "statfs", "fstatfs", "statvfs", "fstatvfs", "volumeAvailableCapacityKey", "systemFreeSize", "systemSize",
        ],
        "UserDefaults": ["UserDefaults"],
        "SystemBootTime": ["systemUptime", "mach_absolute_time"],
        "ActiveKeyboards": ["activeInputModes"],
    ]

    /// The targets of products.
    private static let targets = [
        "SettingsKitCore", "SettingsKitPlatform", "SettingsKitFiles", "SettingsKitUserDefaults", "SettingsKit",
        "SettingsSQLite", "SettingsEtcd", "SettingsCommandLine", "SettingsTestKit",
    ]

    /// The interfaces that need a reason and that a target calls on Apple platforms.
    private static func interfaces(usedBy target: String) throws -> Set<String> {
        let files = try #require(
            FileManager.default.enumerator(
                at: Guide.package.appending(path: "Sources/\(target)"), includingPropertiesForKeys: nil))
        var used: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let code = codeForApplePlatforms(in: try String(contentsOf: file, encoding: .utf8))
            for interface in categories.values.joined() where try code.contains(Regex("(^|[^\\w\"])\(interface)[(.]")) {
                used.insert(interface)
            }
        }
        return used
    }

    @Test("The interfaces that need a reason in a privacy manifest are those that the guide lists")
    func interfacesWithReasons() throws {
        let section = try Guide("PrivacyAndSecurity").text.components(separatedBy: "## Privacy manifest")[1]
        let listed = Set(Self.categories.values.joined().filter { section.contains("`\($0)`") })
        let used = try Self.targets.reduce(into: Set<String>()) { try $0.formUnion(Self.interfaces(usedBy: $1)) }
        #expect(used == listed)
    }

    /// A product has the manifests of its targets, so each target with such a call has one.
    @Test("Each target has the privacy manifest that its own code needs", arguments: targets)
    func manifest(of target: String) throws {
        let used = try Self.interfaces(usedBy: target)
        let categories = Set(Self.categories.filter { !used.isDisjoint(with: $0.value) }.keys)
        let file = Guide.package.appending(path: "Sources/\(target)/PrivacyInfo.xcprivacy")
        let package = try String(contentsOf: Guide.package.appending(path: "Package.swift"), encoding: .utf8)
        let definition = try #require(
            // After the products.
            package.components(separatedBy: "\n        .target(").dropFirst().first {
                $0.contains("name: \"\(target)\"")
            })
        #expect(definition.contains("resources: privacyManifest.resources") == !categories.isEmpty)
        guard let data = FileManager.default.contents(atPath: file.path) else {
            #expect(categories.isEmpty)
            return
        }
        let manifest = try #require(
            PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        let entries = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        let prefix = "NSPrivacyAccessedAPICategory"
        #expect(
            Set(entries.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }) == Set(categories.map { prefix + $0 })
        )
        // The guide has each category and reason.
        let guide = try Guide("PrivacyAndSecurity")
        for entry in entries {
            let category = try #require(entry["NSPrivacyAccessedAPIType"] as? String)
            let reasons = try #require(entry["NSPrivacyAccessedAPITypeReasons"] as? [String])
            let row = try #require(guide.row("`\(category)`"))
            #expect(reasons.allSatisfy { reason in row.contains { $0.contains("`\(reason)`") } })
        }
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
