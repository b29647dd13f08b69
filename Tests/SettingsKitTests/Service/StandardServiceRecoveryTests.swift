#if os(Linux)
    import Foundation
    import Glibc
    import SettingsKit
    import Testing

    /// `SettingsService()` whose file cannot be opened when the process begins, each in a process of its own.
    @Suite("The service without arguments, made too early")
    struct StandardServiceRecoveryTests {
        /// Waits, in a process of its own, for what another one does.
        private static func waits(for condition: () throws -> Bool) rethrows -> Bool {
            for _ in 0..<6_000 {
                if try condition() { return true }
                usleep(10_000)
            }
            return false
        }

        private static func appears(_ path: String) -> Bool { waits { access(path, F_OK) == 0 } }

        /// Makes a directory in the place of the process's own property list.
        private static func putObstacle(in directory: String) throws -> String {
            let name = CommandLine.arguments[0].split(separator: "/").last.map(String.init) ?? ""
            let path = "\(directory)/\(name)/Settings.plist"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            return path
        }

        private static var count: Setting<Int> { .init("count", in: .defaults, default: 0) }

        @Test(
            "The service without arguments, made too early, finds the file that may be read a moment later, by itself",
            .enabled(if: getuid() == 0))
        func permissions() async throws {
            try await withTemporaryDirectory { directory in
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    try SettingsService().save(Self.count, to: 41)
                }
                let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
                async let unlocking: Void = {
                    #expect(Self.appears(directory + "/started"))
                    // The user of the other process, who could not read it so far.
                    for suffix in ["/Settings.plist", "/Settings.plist-journal", "/Settings.plist-lock", ""] {
                        chown(directory + "/\(folder)" + suffix, 65_534, 65_534)
                    }
                }()
                chmod(directory, 0o777)
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    try #require(setuid(65_534) == 0)
                    let settings = SettingsService()
                    let changes = Recorder<Int>()
                    let subscription = settings.observe(Self.count) { changes.append($0.newValue) }
                    settings.set(Setting<String?>("name", in: .defaults), to: "Ann")
                    try #require(settings.get(Self.count) == 0)
                    try Data().write(to: URL(fileURLWithPath: directory + "/started"))
                    // Nothing is read or set meanwhile.
                    try #require(Self.waits { changes.all.last == 41 })
                    try #require(settings.get(Self.count) == 41)
                    try settings.synchronize()
                    subscription.cancel()
                }
                await unlocking
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    let settings = SettingsService()
                    try #require(settings.get(Self.count) == 41)
                    try #require(settings.get(Setting<String?>("name", in: .defaults)) == "Ann")
                }
            }
        }

        @Test(
            "The service without arguments, made too early, uses a home directory that comes later",
            .enabled(if: getuid() == 0))
        func noHome() async throws {
            try await withTemporaryDirectory { directory in
                chmod(directory, 0o777)
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    unsetenv("XDG_CONFIG_HOME")
                    unsetenv("HOME")
                    try #require(setuid(54_321) == 0)
                    let settings = SettingsService()
                    settings.set(Self.count, to: 5)
                    do {
                        try settings.synchronize()
                        Foundation.exit(3)
                    } catch SettingsError.Code.memoryOnly {}
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    try settings.synchronize()
                    try #require(SettingsService().get(Self.count) == 5)
                }
                let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
                #expect(FileManager.default.fileExists(atPath: "\(directory)/\(folder)/Settings.plist"))
            }
        }

        @Test(
            "The usual layers count without a home directory, over settings in memory", .enabled(if: getuid() == 0))
        func layersWithoutHome() async throws {
            await #expect(processExitsWith: .success) {
                unsetenv("XDG_CONFIG_HOME")
                unsetenv("HOME")
                try #require(setuid(54_321) == 0)
                let problems = Recorder<SettingsError.Code>()
                let settings = SettingsService(
                    defaults: try LayeredStore.standard(
                        environmentPrefix: "APP_", arguments: ["--count=3"], environment: ["APP_PORT": "80"]),
                    diagnosticSink: .init { problems.append($0.code) })
                let (port, name) = (
                    Setting<Int>("port", in: .defaults, default: 1), Setting<String>("name", in: .defaults, default: "")
                )
                try #require(settings.get(Self.count) == 3 && settings.get(port) == 80)
                settings.set(name, to: "Ann")
                try #require(settings.get(name) == "Ann")
                try #require(problems.all.contains(.memoryOnly))
                do {
                    try settings.synchronize()
                    Foundation.exit(3)
                } catch SettingsError.Code.memoryOnly {}
            }
        }

        @Test(
            "The service without arguments, made too early, shares what it keeps with every other one, before and after the file is there"
        )
        func sharing() async throws {
            try await withTemporaryDirectory { directory in
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    let obstacle = try Self.putObstacle(in: directory)
                    let (one, second) = (SettingsService(), SettingsService())
                    one.set(Self.count, to: 1)
                    second.set(Self.count, to: 2)
                    try #require(one.get(Self.count) == 2)
                    try FileManager.default.removeItem(atPath: obstacle)
                    let third = SettingsService()
                    for settings in [one, second, third] { try #require(settings.get(Self.count) == 2) }
                    third.set(Self.count, to: 3)
                    for settings in [one, second, third] { try #require(settings.get(Self.count) == 3) }
                    try one.synchronize()
                }
                let paths = try FileManager.default.subpathsOfDirectory(atPath: directory)
                #expect(paths.contains { $0.hasSuffix("/Settings.plist") })
            }
        }

        @Test(
            "The service without arguments, made too early, says for each setting that it is lost if the process ends")
        func lost() async throws {
            try await withTemporaryDirectory { directory in
                let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                    [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    _ = try Self.putObstacle(in: directory)
                    SettingsService().set(Self.count, to: 7_777)
                }
                let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
                #expect(text.contains("kept in memory") && text.contains("\"count\"") && !text.contains("7777"))
            }
        }
    }
#endif
