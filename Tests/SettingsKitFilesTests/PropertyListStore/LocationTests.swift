#if os(Linux)
    import Foundation
    import Glibc
    import SettingsKitCore
    import SettingsKitFiles
    import Testing

    /// Each in a process of its own, whose environment it changes.
    @Suite("Where property lists are kept on Linux")
    struct LocationTests {
        @Test(
            "A property list is in $XDG_CONFIG_HOME, or else in the home directory, under its name",
            arguments: [
                ("/tmp/config", "/tmp/home", "/tmp/config"), (nil, "/tmp/home", "/tmp/home/.config"),
                ("", "/tmp/home", "/tmp/home/.config"), ("./x", "/tmp/home", "/tmp/home/.config"),
                (nil, nil, nil), (nil, "", nil), (nil, "relative", nil),
            ] as [(String?, String?, String?)])
        func directory(configHome: String?, home: String?, expected: String?) async throws {
            await #expect(processExitsWith: .success) {
                [configHome = configHome as String?, home = home as String?, expected = expected as String?] in
                if let configHome { setenv("XDG_CONFIG_HOME", configHome, 1) } else { unsetenv("XDG_CONFIG_HOME") }
                if let home { setenv("HOME", home, 1) } else { unsetenv("HOME") }
                let userHome = String(cString: try #require(getpwuid(getuid())?.pointee.pw_dir))
                let path = (expected ?? userHome + "/.config") + "/My App of tests/Settings.plist"
                try #require(try PropertyListStore(name: "My App of tests").path == path)
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
