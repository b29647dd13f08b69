import Foundation
import SettingsKitCore
import SettingsKitPlatform
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

private let port = SettingsService.Setting<Int>("http.port", in: .defaults, default: 80)
private let name = SettingsService.Setting<String>("name", in: .defaults, default: "none")

@Suite("Layers that are files")
struct LayerFileTests {
    private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

    private func service(_ layers: LayeredStore.Layer...) throws -> SettingsService {
        SettingsService.over(try LayeredStore(layers)).service
    }

    @Test(
        "A file has the format of its suffix",
        arguments: [
            ("a.json", #"{"http": {"port": 1}, "name": "x"} // JSON"#), ("a.JSON", #"{"http.port": 1, "name": "x"}"#),
            ("a.env", "export HTTP_PORT=1\nNAME='x'"), (".env", "http-port=1\nname=x"),
            (".env.local", "HTTP_PORT=1\nNAME=x"), (".env.json", "HTTP_PORT=1\nNAME=x"),
            (
                "a.plist",
                xml("<key>http</key><dict><key>port</key><integer>1</integer></dict><key>name</key><string>x</string>")
            ),
            ("b.plist", xml("<key>http.port</key><integer>1</integer><key>name</key><string>x</string>")),
        ])
    func formats(file: String, text: String) throws {
        try withTemporaryDirectory { directory in
            try write(text, to: "\(directory)/\(file)")
            let settings = try service(.file(url("\(directory)/\(file)")))
            #expect(settings.get(port) == 1)
            #expect(settings.get(name) == "x")
            #expect(settings.source(of: port) == .layer("\(directory)/\(file)"))
        }
    }

    @Test("A file of an unknown suffix needs a format, and a required one must be there and intact")
    func required() throws {
        try withTemporaryDirectory { directory in
            func error(_ layer: LayeredStore.Layer) -> String {
                do {
                    _ = try LayeredStore([layer])
                    return ""
                } catch { return "\(error)" }
            }
            for (file, suffix) in [
                ("a.CONF", "conf"), ("a.env.local", "local"), ("a.", ""), ("json", ""), (".conf", ""),
            ] {
                #expect(
                    error(.file(url("\(directory)/\(file)"))).hasPrefix(
                        "invalidLayers: The suffix \"\(suffix)\" names no format of a layer's file; pass the format"))
            }
            #expect(error(.file(url("\(directory)/a.conf"), format: .json)).isEmpty)
            let missing = error(.file(url("\(directory)/a.json"), isRequired: true))
            #expect(missing.hasPrefix("storeUnavailable: A file that the program requires is missing"))
            #expect(missing.contains("\(directory)/a.json"))
            try write("{\n\"a\" 1}", to: "\(directory)/a.json")
            #expect(
                error(.file(url("\(directory)/a.json"), isRequired: true)).contains(
                    "A colon is missing (line 2, column 5)."))
            #expect(error(.file(url("\(directory)/a.json"))).isEmpty)
        }
    }

    @Test("A file that appears, is replaced, is linked elsewhere and disappears is followed")
    func followed() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/etc/a.json"
            let settings = try service(.file(url(path)))
            let seen = Recorder<Int>()
            let subscription = settings.observe(port) { seen.append($0.newValue) }
            #expect(settings.get(port) == 80)
            try makeDirectory("\(directory)/etc")
            try write(#"{"http.port": 1}"#, to: path)
            try await until { settings.get(port) == 1 }
            try write(#"{"http.port": 2}"#, to: path + ".new")
            try move(path + ".new", to: path)
            try await until { settings.get(port) == 2 }
            try write(#"{"http.port": 3}"#, to: "\(directory)/other")
            try link(path + ".new", to: "../other")
            try move(path + ".new", to: path)
            try await until { settings.get(port) == 3 }
            try removeAll(path)
            try await until { settings.get(port) == 80 }
            #expect(seen.all == [1, 2, 3, 80])
            withExtendedLifetime(subscription) {}
        }
    }

    @Test(
        "An edit in place is read when the file reads whole; until then the last good value stays, and is reported with its place"
    )
    func inPlace() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/a.json"
            try write(#"{"http.port": 1}"#, to: path)
            let (settings, problems) = SettingsService.over(try LayeredStore([.file(url(path), isRequired: true)]))
            let seen = Recorder<Int>()
            let subscription = settings.observe(port) { seen.append($0.newValue) }
            #expect(settings.get(port) == 1)
            try write("{\n  \"http.port\": 2,\n", to: path)
            try await until { problems.count == 1 }
            #expect(problems.all.first.map { "\($0)".contains("line 3, column 1") } == true)
            #expect(settings.get(port) == 1)
            try write("{\n  \"http.port\": 3\n}", to: path)
            try await until { settings.get(port) == 3 && problems.count == 2 }
            // A required file that goes leaves its values.
            try removeAll(path)
            try await until { problems.count == 3 }
            #expect(settings.get(port) == 3)
            #expect(problems.codes == [.readFailed, .recovered, .readFailed])
            #expect(seen.all == [3])
            withExtendedLifetime(subscription) {}
        }
    }

    @Test(
        "What is no file, is too large or cannot be read has no values, hinders nothing, and is reported",
        arguments: ["fifo", "directory", "device", "large", "loop"])
    func noFile(kind: String) throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.json"
            switch kind {
            case "fifo": try #require(mkfifo(path, 0o600) == 0)
            case "directory": try makeDirectory(path)
            case "device": try link(path, to: "/dev/zero")
            case "loop": try link(path, to: path)
            default:
                try write("{}", to: path)
                // Without its blocks.
                try #require(truncate(path, 3 << 30) == 0)
            }
            let (settings, problems) = SettingsService.over(
                try LayeredStore([.writable(MemoryStore()), .file(url(path))]))
            settings.set(port, to: 5)
            #expect(settings.get(port) == 5)
            #expect(problems.codes == [.readFailed])
            #expect(thrownCode { try LayeredStore([.file(url(path), isRequired: true)]) } == .storeUnavailable)
        }
    }
}
