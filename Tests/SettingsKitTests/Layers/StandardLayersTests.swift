#if !canImport(Darwin)
    import Foundation
    import SettingsKit
    import SettingsKitCore
    import SettingsTestKit
    import Testing

    /// The files of an app named `player`: the user's, and those of two directories of an administrator.
    struct PlayerFiles {
        let directory: String

        var user: String { directory + "/home/Settings.plist" }

        func path(_ file: String, in number: Int = 1) -> String { "\(directory)/xdg\(number)/player/\(file).plist" }

        /// Writes a property list, whole.
        func write(_ contents: [String: any Sendable], to path: String) throws {
            let url = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try PropertyListSerialization.data(fromPropertyList: contents, format: .xml, options: 0)
                .write(to: url, options: .atomic)
        }

        func store(
            prefix: String? = "PLAYER_", _ arguments: [String] = [], _ variables: [String: String] = [:]
        ) throws -> LayeredStore {
            var environment = variables
            environment["XDG_CONFIG_DIRS"] = "\(directory)/xdg1:relative:\(directory)/xdg2"
            return try LayeredStore.standard(
                over: PropertyListStore(url: URL(fileURLWithPath: user)), named: "player", environmentPrefix: prefix,
                arguments: arguments, environment: environment)
        }
    }

    extension LayeredStore {
        /// What the layers hold under a name: "managed!=5 store=3", where the mark says that a layer locks.
        func summary(_ name: String) throws -> String {
            try candidates(for: key(name)).map {
                "\($0.layer ?? "store")\($0.isLocking ? "!" : "")=\(String(decoding: $0.data, as: UTF8.self))"
            }.joined(separator: " ")
        }

        func put(_ name: String, _ text: String?) throws { try set(key(name), to: text.map { Data($0.utf8) }) }
    }

    @Suite("The usual layers")
    struct StandardLayersTests {
        @Test("A managed file that is damaged from the beginning locks everything until it is good; check reports it")
        func damaged() async throws {
            try await withTemporaryDirectory { directory in
                let files = PlayerFiles(directory: directory)
                try files.write(["a": 1], to: files.path("Managed"))
                try Data("garbage".utf8).write(to: URL(fileURLWithPath: files.path("Managed")))
                let setting = Setting<Int>("a", in: .defaults, default: 0)
                let catalogue = SettingsCatalogue("Player", [SettingsGroup("All", [setting])])
                let settings = SettingsService(defaults: try files.store(), diagnosticSink: .none)
                let error = #expect(throws: SettingsError.self) { try settings.save(setting, to: 5) }
                #expect(error?.code == .locked)
                // Nothing that only reads keeps a file aside.
                #expect(error.map { !"\($0)".contains("aside") && "\($0)".contains("The file is damaged") } == true)
                #expect(settings.lock(of: setting)?.problem?.code == .damaged && settings.isLocked(setting))
                #expect(catalogue.rows(in: settings)[0].lock?.layer == "managed")
                #expect(settings.get(setting) == 0)
                let problems = catalogue.check(in: settings)
                #expect(problems.map(\.kind) == [.store] && problems.first?.error?.layer == "managed")
                try files.write([:], to: files.path("Managed"))
                try await until {
                    do { try settings.save(setting, to: 5) } catch { return false }
                    return true
                }
                #expect(settings.get(setting) == 5 && catalogue.check(in: settings).isEmpty)
                #expect(settings.lock(of: setting) == nil)
            }
        }

        @Test("Only a store that writes says that a damaged file is kept aside", arguments: [true, false])
        func aside(isWriting: Bool) throws {
            try withTemporaryDirectory { directory in
                let url = URL(fileURLWithPath: directory + "/Settings.plist")
                try Data("garbage".utf8).write(to: url)
                let problems = Recorder<SettingsError>()
                let store = try PropertyListStore(url: url, access: isWriting ? .readWrite : .readOnly)
                let service = SettingsService(defaults: store, diagnosticSink: .init { problems.append($0) })
                #expect(problems.codes == [.damaged])
                #expect(problems.all.allSatisfy { "\($0)".contains("kept aside") == isWriting })
                withExtendedLifetime(service) {}
            }
        }

        @Test("The usual layers are at their places, in their order")
        func places() throws {
            try withTemporaryDirectory { directory in
                let files = PlayerFiles(directory: directory)
                try files.write(["a": 1], to: files.path("Managed"))
                try files.write(["a": 2], to: files.path("Managed", in: 2))
                try files.write(["a": 5], to: files.user)
                try files.write(["a": 6], to: files.path("Settings"))
                try files.write(["a": 7], to: files.path("Settings", in: 2))
                let store = try files.store(["--a=3"], ["PLAYER_A": "4"])
                #expect(
                    store.layerNames == [
                        "managed", "managed-json", "managed-2", "managed-json-2", "arguments", "environment", nil,
                        "system", "system-json", "system-2", "system-json-2",
                    ])
                #expect(
                    try store.summary("a")
                        == "managed!=1 managed-2!=2 arguments!=3 environment!=4 store=5 system=6 system-2=7")
                #expect(store.feed?.isExhaustive == true)
                #expect(try !files.store(prefix: nil).layerNames.contains("environment"))
            }
        }

        @Test("An administrator's file may be JSON; beside a property list, it counts after it, and check reports it")
        func json() async throws {
            try await withTemporaryDirectory { directory in
                let files = PlayerFiles(directory: directory)
                try files.write(["a": 6], to: files.path("Settings"))
                let json = files.path("Settings").replacingOccurrences(of: ".plist", with: ".json")
                try Data(#"{"a": 7, "b": 8}"#.utf8).write(to: URL(fileURLWithPath: json))
                let (a, b) = (
                    Setting<Int>("a", in: .defaults, default: 0), Setting<Int>("b", in: .defaults, default: 0)
                )
                let settings = SettingsService(defaults: try files.store())
                #expect(settings.get(a) == 6 && settings.get(b) == 8)
                #expect(settings.source(of: b) == .layer("system-json"))
                let catalogue = SettingsCatalogue("Player", [SettingsGroup("All", [a, b])])
                let problems = catalogue.check(in: settings)
                #expect(problems.map(\.kind) == [.unusualFile])
                #expect(problems.first.map { "\($0)".contains("Settings.plist exists, too") } == true)
                try FileManager.default.removeItem(atPath: files.path("Settings"))
                let alone = SettingsService(defaults: try files.store())
                // Both use the open file.
                try await until { settings.get(a) == 7 && alone.get(a) == 7 }
                try await until { catalogue.check(in: alone).isEmpty }
            }
        }

        @Test("Without a usable XDG_CONFIG_DIRS, the directory is /etc/xdg", arguments: ["", "relative:", ":"])
        func defaultPlace(list: String) throws {
            #expect(StandardLayers.directories(in: list) == ["/etc/xdg"])
            let environment = ["XDG_CONFIG_DIRS": list]
            let store = try LayeredStore.standard(
                over: MemoryStore(), named: UUID().uuidString, environmentPrefix: nil, arguments: [],
                environment: environment)
            #expect(store.layerNames == ["managed", "managed-json", "arguments", nil, "system", "system-json"])
        }

        @Test("The standard layers are over the app's own property list")
        func own() throws {
            let store = try LayeredStore.standard(environmentPrefix: "PLAYER_", arguments: [], environment: [:])
            #expect(try store.storeDescription == PropertyListStore.standard().storeDescription)
        }

        @Test("Files of an administrator appear, change and disappear while the program runs")
        func live() async throws {
            try await withTemporaryDirectory { directory in
                let files = PlayerFiles(directory: directory)
                let store = try files.store()
                let log = Recorder<String>()
                let subscription = store.feed?.observe { changes, origin in
                    for change in changes {
                        let names = (change.newCandidates ?? []).map { $0.layer ?? "store" }
                        log.append("\(names) \(origin)")
                    }
                }
                try store.put("a", "1")
                try files.write(["a": 2], to: files.path("Settings"))
                #expect(try await eventually { try store.summary("a") == "store=1 system=2" })
                try files.write(["a": 3], to: files.path("Managed"))
                #expect(try await eventually { try store.summary("a") == "managed!=3 store=1 system=2" })
                #expect(thrownCode { try store.put("a", "9") } == .locked)
                try files.write(["a": 4], to: files.path("Managed"))
                #expect(try await eventually { try store.summary("a") == "managed!=4 store=1 system=2" })
                try FileManager.default.removeItem(atPath: files.path("Managed"))
                #expect(try await eventually { try store.summary("a") == "store=1 system=2" })
                try store.put("a", nil)
                try FileManager.default.removeItem(atPath: files.path("Settings"))
                #expect(try await eventually { try store.summary("a") == "" })
                #expect(
                    log.all == [
                        #"["store"] local"#, #"["store", "system"] external"#,
                        #"["managed", "store", "system"] external"#, #"["managed", "store", "system"] external"#,
                        #"["store", "system"] external"#, #"["system"] local"#, "[] external",
                    ])
                subscription?.cancel()
            }
        }

        @Test("A managed file that cannot be read locks every setting until it can be, and is reported")
        func unreadable() async throws {
            try await withTemporaryDirectory { directory in
                let files = PlayerFiles(directory: directory)
                try files.write(["b": 5], to: files.path("Managed"))
                let makeReadable = try makeUnreadable(files.path("Managed"))
                let store = try files.store()
                let problems = Recorder<SettingsError>()
                let service = SettingsService(defaults: store, diagnosticSink: .init { problems.append($0) })
                #expect(service.get(Setting<Int>("a", in: .defaults, default: 7)) == 7)
                #expect(problems.all.first?.layer == "managed")
                #expect(thrownCode { try store.put("a", "1") } == .locked)
                try makeReadable()
                #expect(try await eventually { try store.summary("b") == "managed!=5" })
                // A change of the layer can be published a moment before all of it is known.
                #expect(try await eventually { thrownCode { try store.put("a", "1") } == nil })
                #expect(thrownCode { try store.put("b", "1") } == .locked)
            }
        }

        @Test("Nothing of the arguments and the environment, nor of other files, gets into the user's file")
        func nothingLeaks() throws {
            try withTemporaryDirectory { directory in
                let files = PlayerFiles(directory: directory)
                try files.write(["managedKey": "managedSecret"], to: files.path("Managed"))
                try files.write(["systemKey": "systemSecret"], to: files.path("Settings"))
                let store = try files.store(
                    ["--argumentKey=argumentSecret", "--flagKey", "flagSecret"],
                    ["PLAYER_VARIABLE_KEY": "variableSecret"])
                let names = ["argumentKey", "flagKey", "variableKey", "managedKey", "systemKey"]
                for name in names { #expect(try !store.summary(name).isEmpty) }
                try store.put("own", "1")
                for name in names.dropLast() { #expect(thrownCode { try store.put(name, "1") } == .locked) }
                _ = try store.apply(.init(writes: [.init(key: key("other"), data: Data("2".utf8))]))
                try store.synchronize()
                try store.put("own", "3")
                let folder = URL(fileURLWithPath: files.user).deletingLastPathComponent().path
                var isFound = false
                for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                    let text = String(decoding: try bytes(of: folder + "/" + file), as: UTF8.self)
                    isFound = isFound || text.contains("own")
                    for word in ["Secret"] + names { #expect(!text.contains(word), "\(file)") }
                }
                #expect(isFound)
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/xdg1/player").count == 2)
            }
        }

        @Test("The usual layers keep the contract of a store, reopening included")
        func conformance() async throws {
            try await withTemporaryDirectory { directory in
                let suite = StoreConformance { store in
                    let path = String(store.storeDescription.dropFirst("PropertyListStore at ".count))
                    let home = URL(fileURLWithPath: path).deletingLastPathComponent().deletingLastPathComponent()
                    return try PlayerFiles(directory: home.path).store()
                } unreadable: { store in
                    try makeUnreadable(String(store.storeDescription.dropFirst("PropertyListStore at ".count)))
                } _: {
                    try PlayerFiles(directory: directory + "/" + UUID().uuidString).store(["--unrelated"])
                }
                let report = await suite.run()
                #expect(report.failures.isEmpty, "\(report)")
                #expect(report.skippedGroups == ["unwritable", "killed"], "\(report)")
            }
        }
    }
#endif
