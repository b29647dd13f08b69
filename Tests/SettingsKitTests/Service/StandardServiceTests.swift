#if os(Linux)
    import Foundation
    import Glibc
    import SettingsKit
    import Testing

    /// `SettingsService()`, each in a process of its own.
    @Suite("The service without arguments")
    struct StandardServiceTests {
        @Test("The service without arguments finds its values again in the next process")
        func persistence() async throws {
            try await withTemporaryDirectory { directory in
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    let settings = SettingsService()
                    settings.set(Setting<Int>("count", in: .defaults, default: 0), to: 42)
                    settings.set(Setting<String?>("name", in: .defaults), to: "Ann")
                }
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    let settings = SettingsService()
                    try #require(settings.get(Setting<Int>("count", in: .defaults, default: 0)) == 42)
                    try #require(settings.get(Setting<String?>("name", in: .defaults)) == "Ann")
                }
                let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
                #expect(FileManager.default.fileExists(atPath: "\(directory)/\(folder)/Settings.plist"))
            }
        }

        @Test("The service without arguments shares one store with every other one")
        func sharing() async throws {
            try await withTemporaryDirectory { directory in
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    let setting = Setting<Int>("count", in: .defaults, default: 0)
                    let (one, other) = (SettingsService(), SettingsService())
                    try #require(other.get(setting) == 0)
                    one.set(setting, to: 1)
                    try #require(other.get(setting) == 1)
                }
            }
        }

        @Test("The service without arguments writes nothing as long as nothing is set")
        func freshInstall() async throws {
            try await withTemporaryDirectory { directory in
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    let settings = SettingsService()
                    try #require(settings.get(Setting<Int>("count", in: .defaults, default: 3)) == 3)
                    try settings.synchronize()
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: directory)
                #expect(names.isEmpty)
            }
        }

        @Test(
            "The service without arguments works from memory where there is no home directory, and says so",
            .enabled(if: getuid() == 0))
        func noHome() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                unsetenv("XDG_CONFIG_HOME")
                unsetenv("HOME")
                try #require(setuid(54_321) == 0)
                let settings = SettingsService()
                let setting = Setting<Int>("count", in: .defaults, default: 0)
                settings.set(setting, to: 5)
                do {
                    try settings.save(setting, to: 6)
                    Foundation.exit(3)
                } catch SettingsError.Code.memoryOnly {}
                try #require(settings.get(setting) == 5)
                try #require(await SettingsService.codes(of: settings).contains(.memoryOnly))
                do {
                    try settings.synchronize()
                    Foundation.exit(3)
                } catch SettingsError.Code.memoryOnly {
                    return
                }
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("memoryOnly"))
        }

        @Test(
            "The service without arguments refuses to set where the home directory may not be written",
            .enabled(if: getuid() == 0))
        func unwritableHome() async throws {
            try await withTemporaryDirectory { directory in
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    try #require(setuid(65_534) == 0)
                    let settings = SettingsService()
                    let setting = Setting<Int>("count", in: .defaults, default: 0)
                    do {
                        try settings.save(setting, to: 6)
                        Foundation.exit(3)
                    } catch SettingsError.Code.writeFailed {
                        try #require(settings.get(setting) == 0)
                    }
                    try settings.synchronize()
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: directory)
                #expect(names.isEmpty)
            }
        }

        @Test(
            "The service without arguments leaves a file that it may not read as it is, and works from memory",
            .enabled(if: getuid() == 0))
        func unreadableFile() async throws {
            try await withTemporaryDirectory { directory in
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    let settings = SettingsService()
                    settings.set(Setting<Int>("count", in: .defaults, default: 0), to: 1)
                }
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    try #require(setuid(65_534) == 0)
                    let settings = SettingsService()
                    let setting = Setting<Int>("count", in: .defaults, default: 0)
                    settings.set(setting, to: 2)
                    try #require(settings.get(setting) == 2)
                    try #require(await SettingsService.codes(of: settings) == [.storeUnavailable])
                    do {
                        try settings.synchronize()
                        Foundation.exit(3)
                    } catch SettingsError.Code.storeUnavailable {
                        return
                    }
                }
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    setenv("XDG_CONFIG_HOME", directory, 1)
                    let settings = SettingsService()
                    try #require(settings.get(Setting<Int>("count", in: .defaults, default: 0)) == 1)
                }
            }
        }
    }

    extension SettingsService {
        /// The codes of what went wrong so far; at least one is waited for.
        static func codes(of service: SettingsService) async -> [SettingsError.Code] {
            for await problem in service.diagnostics { return [problem.code] }
            return []
        }
    }
#endif
