#if os(Linux)
    import Foundation
    import Glibc
    import SettingsKitCore
    import SettingsKitFiles
    import Testing

    /// Each in a process of its own, whose environment it changes.
    @Suite("Where property lists are kept on Linux")
    struct LocationTests {
        @Test("Where property lists are kept on Linux: in $XDG_CONFIG_HOME, under the name")
        func configHome() async throws {
            await #expect(processExitsWith: .success) {
                setenv("XDG_CONFIG_HOME", "/tmp/config", 1)
                let store = try PropertyListStore(name: "My App")
                try #require(store.path == "/tmp/config/My App/Settings.plist")
            }
        }

        @Test("In ~/.config where that variable is not set, empty or relative", arguments: [nil, "", "config", "./x"])
        func home(variable: String?) async throws {
            await #expect(processExitsWith: .success) { [variable = variable as String?] in
                if let variable { setenv("XDG_CONFIG_HOME", variable, 1) } else { unsetenv("XDG_CONFIG_HOME") }
                setenv("HOME", "/tmp/home", 1)
                try #require(try PropertyListStore(name: "app").path == "/tmp/home/.config/app/Settings.plist")
            }
        }

        @Test("In the home directory of the user database where HOME is of no use", arguments: [nil, "", "relative"])
        func userDatabase(variable: String?) async throws {
            await #expect(processExitsWith: .success) { [variable = variable as String?] in
                unsetenv("XDG_CONFIG_HOME")
                if let variable { setenv("HOME", variable, 1) } else { unsetenv("HOME") }
                let home = try #require(getpwuid(getuid())?.pointee.pw_dir)
                let expected = String(cString: home) + "/.config/settings-location-test/Settings.plist"
                try #require(try PropertyListStore(name: "settings-location-test").path == expected)
            }
        }

        @Test("Nowhere, for a user that has no home directory", .enabled(if: Program.isRoot))
        func noHome() async throws {
            await #expect(processExitsWith: .success) {
                unsetenv("XDG_CONFIG_HOME")
                unsetenv("HOME")
                try #require(setuid(54_321) == 0)
                do {
                    _ = try PropertyListStore(name: "app")
                    Foundation.exit(3)
                } catch SettingsError.Code.memoryOnly {
                    return
                }
            }
        }

        @Test("A name that no directory can have is refused", arguments: ["", ".", "..", "a/b", "/", "a\0b", "../x"])
        func badName(name: String) throws {
            let error = #expect(throws: SettingsError.self) { try PropertyListStore(name: name) }
            #expect(error?.code == .storeUnavailable)
        }

        @Test("The app's own list is under the executable's name, and one store in the whole process")
        func own() async throws {
            await #expect(processExitsWith: .success) {
                setenv("XDG_CONFIG_HOME", "/tmp/config", 1)
                let executable = try #require(CommandLine.arguments.first?.split(separator: "/").last)
                let store = try PropertyListStore.standard()
                try #require(store.path == "/tmp/config/\(executable)/Settings.plist")
                try #require(try PropertyListStore.standard() === store)
            }
        }
    }
#endif
