import Foundation
import SettingsKitCore
import Testing

@Suite("Strict arguments")
struct ParsingTests {
    private let port = Setting<Int>("port", in: .defaults, default: 8080, validation: .range(1...65_535))
    private let hosts = Setting<[String]>("hosts", in: .defaults, default: ["localhost"])
    private let muted = Setting<Bool>("sound.muted", in: .defaults, default: false)
    private let token = Setting<String>("apiToken", in: .defaults, default: "", validation: .notEmpty, isSecret: true)

    private var catalogue: SettingsCatalogue {
        SettingsCatalogue("Player", [SettingsGroup("All", [port, hosts, muted, token])])
    }

    /// The problems and the usage, line by line.
    private func lines(_ arguments: [String], flags: Set<String> = []) -> [String] {
        do throws(SettingsError) {
            _ = try catalogue.parse(arguments, flags: flags)
            return []
        } catch {
            #expect(error.code == .invalidArguments)
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    /// The problems without the usage.
    private func problems(_ arguments: String..., flags: Set<String> = []) -> [String] {
        lines(arguments, flags: flags).filter { !$0.hasPrefix("usage: ") && !$0.hasPrefix("    ") }
    }

    private func settings(_ arguments: String...) throws -> SettingsService {
        let layered = try LayeredStore([.arguments(try catalogue.parse(arguments)), .writable(MemoryStore())])
        return SettingsService(stores: [.defaults: layered], diagnosticSink: .none)
    }

    @Test("Options have the values that the layer of the invocation gives them")
    func options() throws {
        let settings = try settings(
            "--port", "9000", "--hosts", "a,b", "--hosts=c", "--sound-muted", "--api-token", "-x")
        #expect(settings.get(port) == 9000 && settings.get(hosts) == ["a", "b", "c"])
        #expect(settings.get(muted) && settings.get(token) == "-x")
        #expect(settings.source(of: port) == .layer("arguments") && settings.isLocked(port))
    }

    @Test(
        "A Boolean takes the next argument only if that is exactly true or false",
        arguments: [
            (["--sound-muted"], true, []), (["--sound-muted", "false"], false, []),
            (["--sound-muted=no"], false, []),
            (["--no-sound-muted", "true"], false, ["true"]), (["--soundMuted", "true", "x"], true, ["x"]),
        ])
    func booleans(arguments: [String], expected: Bool, positionals: [String]) throws {
        let invocation = try catalogue.parse(arguments)
        let layered = try LayeredStore([.arguments(invocation), .writable(MemoryStore())])
        #expect(SettingsService(stores: [.defaults: layered], diagnosticSink: .none).get(muted) == expected)
        #expect(invocation.positionals == positionals)
    }

    @Test("Positionals are what is neither an option nor its value")
    func positionals() throws {
        let invocation = try catalogue.parse(
            ["serve", "--port", "1", "a b", "-", "-5", "-.5", "", "--", "--port", "-x", "--"])
        #expect(invocation.positionals == ["serve", "a b", "-", "-5", "-.5", "", "--port", "-x", "--"])
        #expect(try catalogue.parse([]).positionals.isEmpty)
        #expect(try catalogue.parse(["x", "--port=1"].dropFirst()).positionals.isEmpty)
    }

    @Test("Flags are the program's own options")
    func flags() throws {
        let invocation = try catalogue.parse(["--version", "x", "--version"], flags: ["version", "verbose"])
        #expect(invocation.flags == ["version"] && invocation.positionals == ["x"])
        #expect(problems("--version=1", flags: ["version"]) == ["--version takes no value."])
        #expect(problems("--version") == ["--version is no option."])
        #expect(try catalogue.parse(["--no-port", "x"], flags: ["no-port"]).flags == ["no-port"])
        // A setting of that name has it.
        #expect(try catalogue.parse(["--port", "1"], flags: ["port"]).flags.isEmpty)
    }

    @Test("Help is requested by two spellings, and then nothing is a problem", arguments: ["--help", "-h"])
    func help(argument: String) throws {
        #expect(try catalogue.parse([argument, "--unknown", "--port", "x"]).isHelpRequested)
        #expect(try catalogue.parse(["--port=x", argument]).isHelpRequested)
        #expect(try !catalogue.parse(["--", argument]).isHelpRequested)
        #expect(problems("--help=1") == ["--help takes no value."])
    }

    @Test("All problems are in one error, with the names that were meant and the usage, and without values")
    func allProblems() {
        let lines = lines([
            "--prot=secret1", "--port", "secret2", "--hosts", "--sound-mutd", "--no-port", "--no-sound-muted=secret3",
            "-vsecret4",
            "--api-token=", "--zzzzzz", "--hosts", "[1]",
        ])
        #expect(
            lines.prefix { !$0.hasPrefix("usage: ") } == [
                "--prot is no option. Did you mean --port?",
                "--hosts needs a value: a list with commas or in JSON.",
                "--sound-mutd is no option. Did you mean --sound-muted?",
                "--no-port is no option: its setting is not true or false.",
                "--no-sound-muted takes no value.",
                "-v is no option; options begin with two hyphens.",
                "--zzzzzz is no option.",
                "--port: expected an integer from 1 to 65535.",
                "--hosts: expected a list with commas or in JSON. Something else was found where String was expected.",
                "--api-token: expected text, must not be empty.",
            ])
        #expect(lines.allSatisfy { $0.count <= 140 && !$0.contains("secret") })
        #expect(lines.last?.hasSuffix(" [OPTIONS]; --help lists them.") == true)
    }

    @Test("A variable with the prefix of a layer that no setting has is a problem that check reports")
    func variables() throws {
        let shared = Setting<Int>("size", in: .shared, default: 1)
        let catalogue = SettingsCatalogue("Player", [SettingsGroup("All", [port, hosts, muted, token, shared])])
        let variables = [
            "P_PORT": "1", "P_PROT": "secret", "P_SIZE": "2", "P_ZZZZZZ": "", "OTHER": "", "P_SOUND_MUTED": "1",
        ]
        func unknown(_ prefix: String, _ variables: [String: String]) throws -> [SettingsCatalogue.Problem] {
            func store() throws -> LayeredStore {
                try LayeredStore([.environment(prefix: prefix, variables), .writable(MemoryStore())])
            }
            let service = SettingsService(
                stores: [.defaults: try store(), .shared: try store()], diagnosticSink: .none)
            return catalogue.check(in: service).filter { $0.kind == .unknownVariable }
        }
        #expect(
            try unknown("P_", variables).map(\.description) == [
                "P_PROT: No setting reads this variable. Did you mean P_PORT?",
                "P_ZZZZZZ: No setting reads this variable. Unset it, if nothing else uses it.",
            ])
        #expect(try unknown("", variables).isEmpty)
        // Only the rest of the name is compared.
        #expect(try unknown("A_LONG_PREFIX_", ["A_LONG_PREFIX_PATH": ""]).map(\.otherName) == [nil])
    }
}
