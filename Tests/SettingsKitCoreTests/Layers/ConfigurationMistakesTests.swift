import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

/// Mistakes of the people who configure a program, and of those who define its settings.
@Suite("Mistakes in a configuration")
struct ConfigurationMistakesTests {
    private static let port = Setting<Int>("port", in: .defaults, default: 80, validation: .range(1...65_535))
    private static let title = Setting<String>("title", in: .defaults, default: "Player")
    private static let isMuted = Setting<Bool>("isMuted", in: .defaults, default: false)
    private static let logFile = Setting<URL?>("logFile", in: .defaults)
    private static let catalogue = SettingsCatalogue(
        "Player", [SettingsGroup("All", [port, title, isMuted, logFile])])

    // MARK: Empty variables

    private func service(_ variables: [String: String], ignoresEmpty: Bool) throws -> SettingsService {
        .over(
            try LayeredStore([
                .environment(prefix: "P_", variables, ignoresEmpty: ignoresEmpty), .writable(MemoryStore()),
            ]))
    }

    @Test("An empty variable is an empty value that check names, unless the layer ignores empty variables")
    func emptyVariables() throws {
        let settings = try service(["P_TITLE": "", "P_PORT": ""], ignoresEmpty: false)
        #expect(settings.get(Self.title).isEmpty && settings.isLocked(Self.title))
        #expect(settings.get(Self.port) == 80 && !settings.isLocked(Self.port))
        let problems = Self.catalogue.check(in: settings)
        #expect(problems.map(\.kind) == [.value, .value] && problems.map(\.name) == ["port", "title"])
        #expect(problems.last.map { "\($0)".contains("The variable P_TITLE is empty") } == true)
        let ignoring = try service(["P_TITLE": "", "P_PORT": "", "P_PROT": ""], ignoresEmpty: true)
        #expect(ignoring.get(Self.title) == "Player" && !ignoring.isLocked(Self.title))
        #expect(Self.catalogue.check(in: ignoring).isEmpty)
    }

    // MARK: Problems are told once

    @Test(
        "A rejected value, or a file that cannot be read, is reported by check, or by the sink, not by both",
        arguments: [true, false])
    func problemsOnce(checks: Bool) throws {
        for (text, kind, code) in [
            (#"{"port": "x"}"#, .value, .invalidValue), ("{", .store, .readFailed),
        ] as [(String, SettingsCatalogue.Problem.Kind, SettingsError.Code)] {
            let problems = Recorder<SettingsError>()
            let layers = try LayeredStore([.writable(MemoryStore()), .followed(ReplacedText(text), name: "file")])
            let settings = SettingsService.over(layers, problems)
            if checks { #expect(Self.catalogue.check(in: settings).map(\.kind) == [kind]) }
            #expect(settings.get(Self.port) == 80)
            #expect(problems.codes == (checks ? [] : [code]))
        }
    }

    @Test("A misspelled name in an edit is diagnosed once, and so is a file that is right again")
    func edits() throws {
        let problems = Recorder<SettingsError>()
        let text = ReplacedText(#"{"port": 1, "prot": 2}"#)
        let settings = SettingsService.over(
            try LayeredStore([.writable(MemoryStore()), .followed(text, name: "file")]), problems)
        #expect(Self.catalogue.check(in: settings).map(\.name) == ["prot"])
        text.replace(by: "{\"port\": 2,\n\"prot\": 2}")
        #expect(problems.count == 0)
        text.replace(by: #"{"prot": 3, "port": 2, "titel": "x"}"#)
        text.replace(by: #"{"titel": "y", "port": 3}"#)
        #expect(problems.all.map(\.code) == [.unknownName])
        #expect(problems.all.first.map { "\($0)".contains("titel: No setting has this name (/file, line 1") } == true)
        #expect(problems.all.first.map { "\($0)".contains("Did you mean title?") } == true)
        text.replace(by: "{")
        #expect(settings.get(Self.port) == 3)
        text.replace(by: #"{"port": 4}"#)
        #expect(settings.get(Self.port) == 4)
        #expect(problems.all.map(\.code) == [.unknownName, .readFailed, .recovered])
        text.replace(by: #"{"titel": "z"}"#)
        #expect(problems.all.last?.code == .unknownName)
    }

    // MARK: Spelling

    @Test("Variables with a prefix, in a file that is read without one, lead to the format with the prefix")
    func missingPrefix() throws {
        let data = Data("PLAYER_PORT=9000\nPLAYER_IS_MUTED=1\nPORT=80\nOTHER=1".utf8)
        let text = try SettingsFileFormat.environment().text(of: data, path: "/.env")
        let findings = text.findings(for: ["port", "isMuted"]).map { "\($0)" }
        #expect(findings.count == 3 && findings.first?.contains("Remove it") == true)
        for finding in findings.dropFirst() {
            #expect(finding.contains(#"format: .environment(prefix: "PLAYER_")"#), "\(finding)")
        }
    }

    @Test("Strict parsing refuses a word for true or false that it would not read", arguments: ["FALSE", "no", "0"])
    func words(word: String) throws {
        let error = #expect(throws: SettingsError.self) { try Self.catalogue.parse(["--is-muted", word, "file"]) }
        #expect(error.map { "\($0)".contains("--is-muted=false or --no-is-muted") } == true)
        #expect(try Self.catalogue.parse(["--is-muted", "--", word]).positionals == [word])
        #expect(try Self.catalogue.parse(["--is-muted=\(word)", "file"]).positionals == ["file"])
    }

    @Test(
        "A path is the URL of a file; one in the current or the home directory is absolute",
        arguments: [
            ("/tmp/x.log", "file:///tmp/x.log"), ("/tmp/../a b", "file:///a%20b"), ("http://a.org/x", "http://a.org/x"),
            ("x.log", "x.log"), ("./x.log", nil), ("../x.log", nil), ("~/x.log", nil),
        ] as [(String, String?)])
    func paths(text: String, expected: String?) throws {
        let url = try #require(TextForm<URL>.standard.read(text))
        if let expected { return #expect(url.absoluteString == expected) }
        #expect(url.isFileURL && url.path.hasPrefix("/") && url.path.hasSuffix("/x.log"))
        #expect(!url.path.contains("..") && !url.path.contains("~") && url.absoluteString == url.relativeString)
    }

    // MARK: Stores

    @Test("The names of a scope are those of settings")
    func names() throws {
        struct Server: SettingsRecord { var port = 1; static let empty = Server() }
        let settings = SettingsService.over(MemoryStore())
        try settings.migrate([.version("1") { $0.set(Self.port, to: 1) }])
        let server = try SettingsStorage<Server>(name: "web", in: settings, migrations: [.version("2") { _ in }])
        server.port = 2
        #expect(settings.keys(in: .defaults) == ["port", "web:port"])
    }

    @Test("A value that is to be moved out of a store without a writable layer is an error that names the file")
    func unwritableSource() throws {
        let old = try LayeredStore([.followed(ReplacedText(#"{"title": "x"}"#), name: "file")])
        let settings = SettingsService(
            stores: [.defaults: MemoryStore(), .shared: old], diagnosticSink: .none)
        let error = #expect(throws: SettingsError.self) { try settings.migrate([.move(Self.title, from: .shared)]) }
        let cause = (error?.underlying as? SettingsService.MigrationFailure)?.underlying as? SettingsError
        #expect(cause?.code == .readOnly && cause?.store?.hasPrefix("/file") == true && cause?.layer == "file")
        #expect(try settings.migrate([.move(Self.port, from: .shared)]).appliedVersions.isEmpty)
    }
}
