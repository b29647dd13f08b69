import Foundation
import SettingsKit
import Testing

@Test private func theServerOfTheGuideReadsItsSourcesAndReportsMistakes() async throws {
    try await withTemporaryFolder { folder in
        let (file, secrets) = (folder.appendingPathComponent("player.json"), folder.appendingPathComponent("secrets"))
        try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: true)
        try Data("secret\n".utf8).write(to: secrets.appendingPathComponent("token"))
        try Data(#"{ "http": { "port": 9000, "timeout": "1m" } }"#.utf8).write(to: file)
        let (settings, invocation) = try serverSettings(
            ["--http-hosts", "a", "--http-hosts", "b"], ["PLAYER_CONFIG_HTTP_TIMEOUT": "2m"], file: file,
            secrets: secrets)
        #expect(start(settings, invocation))
        let server = try SettingsStorage<Server>(in: settings)
        #expect(
            server.http.port == 9000 && server.http.hosts == ["a", "b"] && server.http.timeout == .seconds(120))
        let token = try #require(catalogue.setting(named: "token"))
        #expect(server.token == "secret" && settings.text(of: token) == "•••")
        #expect(thrownCode { try server.save(.empty) } == .readOnly)
        explain(settings)
        let subscription = try serve(settings)
        try Data("{\n    \"http\": { \"prot\": 9000, \"timeout\": \"soon\" }\n}\n".utf8).write(
            to: file, options: .atomic)
        try await until { server.http.port == 8080 }
        // The variable has a good value, and the mistake in the file does not matter.
        #expect(server.http.timeout == .seconds(120))
        let (mistaken, _) = try serverSettings([], [:], file: file, secrets: secrets)
        #expect(!start(mistaken, try catalogue.parse([])))
        let printed = catalogue.check(in: mistaken).map {
            "problem: \($0)".replacingOccurrences(of: file.path, with: "/etc/player.json")
        }
        let guide = try Guide("ConfiguringAServer").text
        for line in printed { #expect(guide.contains("\n\(line)\n"), "\(line)") }
        #expect(printed.count == 2)
        subscription.cancel()
    }
}

@Test private func theServerOfTheGuideStartsBesideTheVariablesOfAService() async throws {
    try await withTemporaryFolder { folder in
        let (file, secrets) = (folder.appendingPathComponent("player.json"), folder.appendingPathComponent("secrets"))
        try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: file)
        let variables = [
            "PLAYER_PORT": "tcp://10.0.0.7:80", "PLAYER_SERVICE_HOST": "10.0.0.7",
            "PLAYER_HTTP_PORT": "tcp://10.0.0.8:80", "PLAYER_CONFIG_OTHER": "1",
        ]
        let (settings, invocation) = try serverSettings([], variables, file: file, secrets: secrets)
        #expect(start(settings, invocation))
        #expect(catalogue.check(in: settings).map(\.kind) == [.unknownVariable])
    }
}

@Test private func theWholeProgramOfTheGuideHasFifteenLinesBesideItsSettings() throws {
    let text = try Guide("ConfiguringAServer").text
    let section = try #require(text.components(separatedBy: "## The whole program\n").last)
    let code = try #require(section.components(separatedBy: "```swift\n").dropFirst().first)
    let lines = try #require(code.components(separatedBy: "```").first).split(separator: "\n")
    let settings = SettingsCatalogue("Relay", describing: Relay.self).settings
    // A program has a line for the import in addition.
    #expect(settings.count == 12 && lines.count + 1 - settings.count == 15)
    let file = URL(fileURLWithPath: "/nowhere/relay.json")
    try runRelay(["--port", "9000", "--origins", "a,b", "--", "host"], file: file)
    try runRelay(["--help"], file: file)
    #expect(throws: SettingsError.self) { try runRelay(["--prot", "9000"], file: file) }
}
