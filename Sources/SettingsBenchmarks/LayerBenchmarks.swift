import Foundation
import SettingsKit

/// The sources of a server's settings: seven layers, each with a value for the same fifty.
private struct Sources {
    private static let names = (0..<50).map { "group.setting\($0)" }
    static let setting = SettingsService.Setting<Int>(names[49], in: .defaults, default: 0)

    let arguments = Self.names.map { "--\($0)=1" }
    let variables = Dictionary(
        uniqueKeysWithValues: Self.names.map { ("SERVER_GROUP_\($0.dropFirst(6).uppercased())", "2") })
    let folder: TemporaryFolder
    let secrets: TemporaryFolder

    init() throws {
        (folder, secrets) = (try TemporaryFolder(), try TemporaryFolder())
        for name in Self.names { try Data("3\n".utf8).write(to: secrets[name]) }
        let members = Self.names.map { "\"\($0.dropFirst(6))\": 4" }.joined(separator: ",\n")
        try Data("{ \"group\": {\n\(members)\n} }".utf8).write(to: folder["server.json"])
        let lines = Self.names.map { "GROUP_\($0.dropFirst(6).uppercased())=5" }.joined(separator: "\n")
        try Data(lines.utf8).write(to: folder[".env"])
        let list = Self.names.map { "<key>\($0)</key><integer>6</integer>" }.joined(separator: "\n")
        for name in ["Own.plist", "System.plist"] {
            try Data("<plist version=\"1.0\"><dict>\n\(list)\n</dict></plist>".utf8).write(to: folder[name])
        }
    }

    func openLayers() throws -> Int {
        let store = try LayeredStore([
            .arguments(arguments), .environment(prefix: "SERVER_", variables), .directory(secrets.url),
            .writable(try PropertyListStore(url: folder["Own.plist"])), .file(folder["server.json"]),
            .file(folder[".env"]), .file(folder["System.plist"]),
        ])
        return SettingsService(defaults: store).get(Self.setting)
    }

    /// Reads each source as a program does without a library.
    func readPlainly() throws {
        use(Dictionary(arguments.map { $0.split(separator: "=") }.map { ($0[0], $0[1]) }) { $1 })
        use(variables.filter { $0.key.hasPrefix("SERVER_") })
        for name in try FileManager.default.contentsOfDirectory(atPath: secrets.url.path) {
            use(try String(contentsOf: secrets[name], encoding: .utf8))
        }
        for name in ["Own.plist", "System.plist"] {
            use(try PropertyListSerialization.propertyList(from: Data(contentsOf: folder[name]), format: nil))
        }
        use(try JSONSerialization.jsonObject(with: Data(contentsOf: folder["server.json"])))
        let text = try String(contentsOf: folder[".env"], encoding: .utf8)
        use(Dictionary(text.split(separator: "\n").map { $0.split(separator: "=") }.map { ($0[0], $0[1]) }) { $1 })
    }
}

extension Benchmark {
    /// Row 6: the layers of a server.
    static func layers() throws -> [Benchmark] {
        let sources = try Sources()
        let plain = Yardstick("each of them read plainly, with Foundation") { count in
            repeating(count) { try sources.readPlainly() }
        }
        return [
            Benchmark(6, "open of seven layers of 50 settings, to the first get", atMost: 1.3, plain, iterations: 100) {
                count in
                repeating(count) {
                    let value = try sources.openLayers()
                    precondition(value == 1)
                }
            }
        ]
    }
}
