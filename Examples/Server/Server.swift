import SettingsKit

struct Server: SettingsRecord {
    var http = HTTP()
    @SettingField("secure", help: "Use TLS.") var isSecure = false
    @SettingField(validation: .range(1...64)) var workers = 4
    var timeout = Duration.seconds(30)
    @SettingField(help: "In bytes.") var bodyLimit = 1_048_576
    var logLevel = LogLevel.info
    @SettingField(help: "None logs to standard output.") var logFile: String?
    var title = "My site"
    var greeting = "Hello"
    @SettingField(isSecret: true) var apiKey = ""

    static let empty = Server()
}

struct HTTP: SettingsRecord {
    @SettingField(validation: .notEmpty) var host = "127.0.0.1"
    @SettingField(validation: .range(1...65_535), help: "The port to listen on.") var port = 8080
    @SettingField(help: "Who may embed the site.") var origins: [String] = []

    static let empty = HTTP()
}

enum LogLevel: String, Codable, CaseIterable { case debug, info, error }

let catalogue = SettingsCatalogue("Server", describing: Server.self)

/// Starts the server: from the files, the secrets, the environment and the arguments, live and validated, with `--help`.
func serve(_ settings: SettingsService, _ invocation: SettingsInvocation) throws -> SettingsService.Subscription {
    if invocation.isHelpRequested { print(catalogue.help(environmentPrefix: "SERVER_")) }
    for problem in catalogue.check(in: settings) { print("problem: \(problem)") }
    let server = try SettingsStorage<Server>(in: settings)
    print("listening on \(server.http.host):\(server.http.port) with \(server.workers) workers")
    return server.observe(\.http.port) { print("listening on port \($0)") }
}
