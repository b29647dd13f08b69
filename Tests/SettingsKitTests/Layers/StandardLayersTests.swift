#if !canImport(Darwin)
    import Foundation
    import SettingsKit
    import SettingsKitCore
    import Testing

    /// The files of an app named `player`: the user's, and those of two directories of an administrator.
    private struct PlayerFiles {
        let directory: String

        var user: String { directory + "/home/Settings.plist" }

        func path(_ file: String, in number: Int = 1) -> String { "\(directory)/xdg\(number)/player/\(file)" }

        /// Writes a file, whole.
        func write(_ contents: [String: any Sendable], to path: String) throws {
            let url = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            let data =
                path.hasSuffix(".json")
                ? try JSONSerialization.data(withJSONObject: contents)
                : try PropertyListSerialization.data(fromPropertyList: contents, format: .xml, options: 0)
            try data.write(to: url, options: .atomic)
        }

        func service(
            prefix: String? = "PLAYER_", _ arguments: [String] = [], _ variables: [String: String] = [:]
        ) throws -> SettingsService {
            var environment = variables
            environment["XDG_CONFIG_DIRS"] = "\(directory)/xdg1:relative:\(directory)/xdg2"
            let store = try LayeredStore.standard(
                over: PropertyListStore(url: URL(fileURLWithPath: user)), named: "player", environmentPrefix: prefix,
                arguments: arguments, environment: environment)
            return SettingsService(defaults: store, diagnosticSink: .none)
        }
    }

    @Suite("The usual layers", .timeLimit(Rounds.timeLimit))
    struct StandardLayersTests {
        private let setting = Setting<Int>("a", in: .defaults, default: 0)

        @Test("They are at their places, in their order, and the managed ones lock")
        func places() throws {
            try withTemporaryDirectory { directory in
                let files = PlayerFiles(directory: directory)
                let places = [
                    ("managed", files.path("Managed.plist")), ("managed-json", files.path("Managed.json")),
                    ("managed-2", files.path("Managed.plist", in: 2)),
                    ("managed-json-2", files.path("Managed.json", in: 2)), (nil, files.user),
                    ("system", files.path("Settings.plist")), ("system-json", files.path("Settings.json")),
                    ("system-2", files.path("Settings.plist", in: 2)),
                    ("system-json-2", files.path("Settings.json", in: 2)),
                ]
                // From the lowest on, each has the value in force when it is there.
                for (number, (layer, path)) in places.enumerated().reversed() {
                    try files.write(["a": number + 1], to: path)
                    let settings = try files.service()
                    #expect(settings.get(setting) == number + 1)
                    #expect(settings.source(of: setting) == layer.map { .layer($0) } ?? .store)
                    #expect(settings.isLocked(setting) == (number < 4))
                }
                try FileManager.default.removeItem(atPath: directory + "/xdg1")
                try FileManager.default.removeItem(atPath: directory + "/xdg2")
                #expect(try files.service([], ["PLAYER_A": "20"]).get(setting) == 20)
                #expect(try files.service(["--a=10"], ["PLAYER_A": "20"]).get(setting) == 10)
                #expect(try files.service(prefix: nil, [], ["PLAYER_A": "20"]).get(setting) == 5)
            }
        }

        @Test("If a directory has a file in both formats, check reports it")
        func bothFormats() async throws {
            try await withTemporaryDirectory { directory in
                let files = PlayerFiles(directory: directory)
                for file in ["Settings.plist", "Settings.json"] { try files.write(["a": 6], to: files.path(file)) }
                let catalogue = SettingsCatalogue("Player", [SettingsGroup("All", [setting])])
                let settings = try files.service()
                let problems = catalogue.check(in: settings)
                #expect(problems.map(\.kind) == [.unknownName])
                #expect(problems.first.map { "\($0)".contains("Settings.plist exists, too") } == true)
                try FileManager.default.removeItem(atPath: files.path("Settings.plist"))
                try await until { catalogue.check(in: settings).isEmpty && settings.get(setting) == 6 }
            }
        }

        @Test("Without a usable XDG_CONFIG_DIRS, the directory is /etc/xdg", arguments: ["", "relative:", ":"])
        func defaultPlace(list: String) throws {
            #expect(StandardLayers.directories(in: list) == ["/etc/xdg"])
        }

        @Test("The standard layers are over the app's own property list")
        func own() throws {
            let store = try LayeredStore.standard(environmentPrefix: "PLAYER_", arguments: [], environment: [:])
            #expect(try store.storeDescription == PropertyListStore.standard().storeDescription)
        }

        @Test("A managed file that is damaged locks everything until it is good, and is not kept aside")
        func damaged() async throws {
            try await withTemporaryDirectory { directory in
                let files = PlayerFiles(directory: directory)
                try files.write([:], to: files.path("Managed.plist"))
                try SettingsTestSupport.write("garbage", to: files.path("Managed.plist"))
                let settings = try files.service()
                #expect(settings.lock(of: setting)?.problem?.code == .damaged)
                #expect(thrownCode { try settings.save(setting, to: 5) } == .locked)
                #expect(try names(in: directory + "/xdg1/player") == ["Managed.plist"])
                try files.write([:], to: files.path("Managed.plist"))
                try await until { thrownCode { try settings.save(setting, to: 5) } == nil }
                #expect(settings.get(setting) == 5)
            }
        }
    }
#endif
