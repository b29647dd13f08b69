#if os(Linux)
    import Foundation
    import Glibc
    import SettingsKit
    import Testing

    /// `SettingsService()`, each in a process of its own.
    @Suite("The service without arguments", .timeLimit(Rounds.timeLimit))
    struct StandardServiceTests {
        private static var count: Setting<Int> { .init("count", in: .defaults, default: 0) }
        private static var name: Setting<String?> { .init("name", in: .defaults) }

        /// Waits, in a process of its own, for what another one does.
        private static func waits(for condition: () throws -> Bool) rethrows -> Bool {
            for _ in 0..<6_000 {
                if try condition() { return true }
                usleep(10_000)
            }
            return false
        }

        @Test("It writes nothing as long as nothing is set, and finds its values again in the next process")
        func persistence() async throws {
            try await withTemporaryDirectory { directory in
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    let settings = SettingsService()
                    try #require(settings.get(Self.count) == 0)
                    try settings.synchronize()
                    try #require(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
                    settings.set(Self.count, to: 42)
                    // All services share one store.
                    try #require(SettingsService().get(Self.count) == 42)
                }
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    try #require(SettingsService().get(Self.count) == 42)
                }
                let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
                #expect(FileManager.default.fileExists(atPath: "\(directory)/\(folder)/Settings.plist"))
            }
        }

        @Test(
            "Made too early, it works from memory, says so, and finds by itself a home directory that comes later; layers over it count",
            .enabled(if: getuid() == 0))
        func noHome() async throws {
            try await withTemporaryDirectory { directory in
                chmod(directory, 0o777)
                let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                    [directory = directory as String] in
                    unsetenv("XDG_CONFIG_HOME")
                    unsetenv("HOME")
                    try #require(setuid(54_321) == 0)
                    let (settings, other) = (SettingsService(), SettingsService())
                    settings.set(Self.count, to: 7_777)
                    try #require(other.get(Self.count) == 7_777)
                    try #require(thrownCode { try settings.save(Self.count, to: 6) } == .memoryOnly)
                    try #require(thrownCode { try settings.synchronize() } == .memoryOnly)
                    let problems = Recorder<SettingsError.Code>()
                    let layered = SettingsService(
                        defaults: try LayeredStore.standard(
                            environmentPrefix: "APP_", arguments: ["--name=Ann"], environment: ["APP_PORT": "80"]),
                        diagnosticSink: .init { problems.append($0.code) })
                    let port = Setting<Int>("port", in: .defaults, default: 1)
                    try #require(layered.get(Self.name) == "Ann" && layered.get(port) == 80)
                    layered.set(Setting<Int>("volume", in: .defaults, default: 0), to: 5)
                    try #require(layered.get(Self.count) == 7_777 && problems.all.contains(.storeUnavailable))
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    try #require(Self.waits { problems.all.contains(.recovered) })
                    SettingsService().set(Self.count, to: 7_778)
                    for settings in [settings, other] { try #require(settings.get(Self.count) == 7_778) }
                }
                let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
                #expect(text.contains("memoryOnly") && text.contains("\"count\"") && !text.contains("7777"))
                let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
                #expect(FileManager.default.fileExists(atPath: "\(directory)/\(folder)/Settings.plist"))
            }
        }
    }
#endif
