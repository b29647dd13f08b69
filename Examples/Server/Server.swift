import SettingsKit

extension SettingDefinition {
    static let host = Setting<String>("http.host", in: .defaults, default: "127.0.0.1", validation: .notEmpty)
    static let port = Setting<Int>("http.port", in: .defaults, default: 8080, validation: .range(1...65_535))
    static let origins = Setting<[String]>("http.origins", in: .defaults, default: [], help: "Who may embed the site.")
    static let isSecure = Setting<Bool>("secure", in: .defaults, default: false, help: "Use TLS.")
    static let workers = Setting<Int>("workers", in: .defaults, default: 4, validation: .range(1...64))
    static let timeout = Setting<Duration>("timeout", in: .defaults, default: .seconds(30))
    static let bodyLimit = Setting<Int>("bodyLimit", in: .defaults, default: 1_048_576, help: "In bytes.")
    static let logLevel = Setting<LogLevel>("logLevel", in: .defaults, default: .info)
    static let logFile = Setting<String?>("logFile", in: .defaults, help: "None logs to standard output.")
    static let title = Setting<String>("title", in: .defaults, default: "My site")
    static let greeting = Setting<String>("greeting", in: .defaults, default: "Hello")
    static let apiKey = Setting<String>("apiKey", in: .defaults, default: "", isSecret: true)
}

enum LogLevel: String, Codable, CaseIterable { case debug, info, error }

let catalogue = SettingsCatalogue("Server") {
    SettingsGroup("Network", [.host, .port, .origins, .isSecure])
    SettingsGroup("Limits", [.workers, .timeout, .bodyLimit])
    SettingsGroup("Logging", [.logLevel, .logFile])
    SettingsGroup("Site", [.title, .greeting, .apiKey])
}

/// Starts the server: from the files, the secrets, the environment and the arguments, live and validated, with `--help`.
func serve(_ settings: SettingsService, _ invocation: SettingsInvocation) -> SettingsService.Subscription? {
    if invocation.isHelpRequested { print(catalogue.help(environmentPrefix: "SERVER_")) }
    for problem in catalogue.check(in: settings) { print("problem: \(problem)") }
    print("listening on \(settings[.host]):\(settings[.port]) with \(settings[.workers]) workers")
    return settings.observe(.port) { print("listening on port \($0.newValue), not on \($0.oldValue)") }
}
