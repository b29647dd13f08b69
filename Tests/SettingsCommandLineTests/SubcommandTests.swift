import Foundation
import SettingsCommandLine
import SettingsKit
import SettingsTestSupport
import Testing

@testable import settings

/// The programs that share their subcommands: the command of a catalogue, and the tool over a store of each kind.
enum TestedProgram: String, CaseIterable, CustomTestStringConvertible {
    case command, file, shared, sqlite

    var testDescription: String { rawValue }

    /// Calls a function with a program whose settings are new.
    func withSettings<R>(_ body: (TestedSettings) throws -> R) throws -> R {
        guard let kind = StoreKind(rawValue: rawValue) else { return try body(TestedSettings(desk: Desk())) }
        return try withTemporaryDirectory { directory in
            try body(TestedSettings(bench: ToolBench.ready(kind, in: directory)))
        }
    }
}

struct TestedSettings {
    var desk: Desk?
    var bench: ToolBench?

    func run(_ arguments: String..., input: String = "") -> Desk.Result { run(arguments, input: input) }

    func run(_ arguments: [String], input: String = "") -> Desk.Result {
        Desk.Result { run(arguments, input: input, output: $0, errors: $1) }
    }

    /// Runs a subcommand whose output may fail.
    func run(
        _ arguments: [String], input: String = "", output: @escaping (String) throws -> Void,
        errors: @escaping (String) throws -> Void
    ) -> Int32 {
        if let desk {
            return desk.command.run(arguments, input: { Data(input.utf8) }, output: output, errors: errors)
        }
        // Help is about no store.
        let isHelp = arguments.contains { ["help", "--help", "-h"].contains($0) }
        let store = isHelp ? [] : bench.map { [$0.kind.store(in: $0.directory)] } ?? []
        let words = arguments.prefix(1) + store + arguments.dropFirst()
        return SettingsTool(width: 80).run(
            Array(words), input: { Data(input.utf8) }, output: output, errors: errors)
    }
}

@Suite("Subcommands do the same over a catalogue and over a store of each kind", .ownThreads)
struct SubcommandTests {
    @Test("Each subcommand has help in 80 columns, however it is asked for", arguments: TestedProgram.allCases)
    func help(program: TestedProgram) throws {
        try program.withSettings { settings in
            let help = settings.run("help")
            #expect(help.code == 0 && help.output.contains("Exit codes: 0 done, 1 failed, 2 wrong usage, 3"))
            #expect(help == settings.run("--help") && help == settings.run("-h"))
            let names = help.output.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                .compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(
                Set(names).isSuperset(of: [
                    "list", "get", "set", "delete", "watch", "explain", "export", "import",
                ]))
            for name in names {
                let result = settings.run(name, "--help")
                #expect(result.code == 0 && result.errors.isEmpty && result.output.hasPrefix("Usage: "))
                #expect(result == settings.run("help", name))
                #expect(result == settings.run(name, "-h", "too", "many", "names"))
                for line in result.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
                let namesStore = result.output.contains("sqlite:PATH")
                #expect(namesStore == (program != .command && name != "completions"), "\(name)")
            }
            #expect(settings.run("help", "reset") == settings.run("help", "delete"))
        }
    }

    @Test("A wrong argument is a wrong usage, prints no result, and creates nothing", arguments: TestedProgram.allCases)
    func wrongUsage(program: TestedProgram) throws {
        try program.withSettings { settings in
            let directory = settings.bench?.directory
            let before = try directory.map(FileManager.default.subpathsOfDirectory)
            for arguments in [
                [], ["lst"], [""], ["get"], ["get", ""], ["get", "a", "b"], ["get", "port", "--all"], ["set", "port"],
                ["set", "port", "1", "2"], ["set", "port", "--5"], ["set", "", "1"], ["list", "port"],
                ["list", "--json=1"],
                ["delete"], ["delete", "port", "--all"], ["delete", "port", ""], ["watch", "--count"],
                ["watch", "--count", "0"],
                ["watch", "--count=x"], ["watch", ""], ["explain"], ["explain", ""], ["import"], ["import", "a", "b"],
                ["export", "--secret"], ["help", "nothing"],
            ] {
                let result = settings.run(arguments)
                #expect(result.code == 2 && result.output.isEmpty && result.errors.hasSuffix("\n"), "\(arguments)")
            }
            #expect(try directory.map(FileManager.default.subpathsOfDirectory) == before)
        }
    }

    @Test("A value that was set is printed, exactly in JSON", arguments: TestedProgram.allCases)
    func values(program: TestedProgram) throws {
        try program.withSettings { settings in
            #expect(settings.run("set", "port", "9000") == .init(0))
            #expect(settings.run("get", "port") == .init(0, "9000\n"))
            #expect(settings.run("get", "port", "--json").json == .integer(9000))
            #expect(settings.run("set", "server.hosts", #"["a", "b"]"#) == .init(0))
            #expect(settings.run("get", "server.hosts") == .init(0, "[\"a\",\"b\"]\n"))
            let text = "two\nlines\t\u{1B}[31mred"
            #expect(settings.run("set", "motto", text) == .init(0))
            #expect(settings.run("get", "motto") == .init(0, "two\nlines\t\\u{1B}[31mred\n"))
            #expect(settings.run("get", "motto", "--json").json == .string(text))
            #expect(settings.run("set", "motto", "--", "--x") == .init(0))
            #expect(settings.run("get", "motto") == .init(0, "--x\n"))
            let list = settings.run("list").output.split(separator: "\n")
            for (name, value) in [("port", "9000"), ("motto", "--x")] {
                #expect(list.contains { $0.contains(name) && $0.contains(value) })
            }
            #expect(settings.run("list", "--json").output.contains("\"port\""))
            let wrong = settings.run("get", "prot")
            #expect(wrong.code != 0 && wrong.output.isEmpty && wrong.errors.contains("Did you mean"))
        }
    }

    @Test("explain begins with the value in force, and names the setting in JSON", arguments: TestedProgram.allCases)
    func explain(program: TestedProgram) throws {
        try program.withSettings { settings in
            #expect(settings.run("set", "port", "9000") == .init(0))
            #expect(settings.run("explain", "port").output.hasPrefix("port: 9000\n"))
            let json = try #require(settings.run("explain", "port", "--json").json?.object)
            #expect(json["name"] == .string("port") && json["value"] == .integer(9000))
            #expect(settings.run("explain", "prot").code != 0)
        }
    }

    @Test(
        "delete, also called reset, removes all that it names or nothing", arguments: TestedProgram.allCases,
        ["delete", "reset"])
    func delete(program: TestedProgram, command: String) throws {
        try program.withSettings { settings in
            for (name, text) in [("port", "1"), ("volume", "0.1"), ("motto", "a")] {
                #expect(settings.run("set", name, text) == .init(0))
            }
            let wrong = settings.run(command, "port", "prot")
            #expect(wrong.code != 0 && wrong.message.contains("Did you mean"), "\(wrong)")
            #expect(settings.run("get", "port").output == "1\n")
            #expect(settings.run(command, "port", "motto") == .init(0))
            #expect(settings.run("export").json == .object(["volume": .number(0.1)]))
            #expect(settings.run(command, "--all") == .init(0))
            #expect(settings.run("export") == .init(0, "{}\n"))
        }
    }

    @Test(
        "watch prints changes with their time and origin, until there are enough", .timeLimit(Rounds.timeLimit),
        arguments: TestedProgram.allCases, [true, false])
    func watch(program: TestedProgram, isJSON: Bool) throws {
        try program.withSettings { settings in
            #expect(settings.run("set", "port", "1") == .init(0))
            let result = Box<Desk.Result?>(nil)
            let words = ["watch", "port", "motto", "--count", "3"] + (isJSON ? ["--json"] : [])
            Thread { result.value = settings.run(words) }.start()
            var round = 0
            // The first changes may be made before the command listens.
            while result.value == nil {
                round += 1
                _ = settings.run("set", "volume", "0.\(round)")
                _ = settings.run("set", "port", "\(round)")
                _ = settings.run(round.isMultiple(of: 2) ? ["delete", "motto"] : ["set", "motto", "\u{1B}"])
            }
            let watched = try #require(result.value)
            let lines = watched.output.split(separator: "\n")
            #expect(watched.code == 0 && watched.errors.isEmpty && lines.count == 3, "\(watched)")
            for line in lines {
                if isJSON {
                    let change = try #require(JSONTree(json: Data(line.utf8))?.object, "\(line)")
                    #expect(change["time"]?.string.flatMap { Date(iso8601: $0) } != nil)
                    #expect(["local", "external"].contains(change["origin"]?.string))
                    #expect(["port", "motto"].contains(change["name"]?.string))
                    #expect(change["isSet"] == .bool(true) || change["value"] == .null)
                } else {
                    #expect(Date(iso8601: String(line.prefix(24))) != nil, "\(line)")
                    let rest = line.dropFirst(24)
                    let isChange =
                        try #/  (port: \d+|motto: \\u\{1B\})  \((local|external)(, [^,]+)?\)/#.wholeMatch(in: rest)
                        != nil
                    let isRemoval =
                        try #/  motto:( null)?  \((local|external)(, [^,]+)?, removed\)/#.wholeMatch(in: rest) != nil
                    #expect(isChange || isRemoval, "\(line)")
                }
            }
        }
    }

    @Test("import stores a file, and --dry-run changes nothing", arguments: TestedProgram.allCases)
    func importing(program: TestedProgram) throws {
        try program.withSettings { settings in
            #expect(settings.run("set", "port", "1") == .init(0))
            let file = #"{"port": 9000, "motto": "a\n"}"#
            let dry = settings.run("import", "-", "--dry-run", input: file)
            #expect(dry.code == 0 && dry.errors.isEmpty && dry.output.contains("port: 1 → 9000\n"), "\(dry)")
            #expect(dry.output.contains("motto: ") && settings.run("get", "port").output == "1\n")
            #expect(settings.run("import", "-", input: file) == dry)
            #expect(settings.run("import", "-", input: file) == .init(0, "Nothing changes.\n"))
            #expect(settings.run("export").json == .object(["port": .integer(9000), "motto": .string("a\n")]))
            for wrong in ["", "[]", "{", "{\"port\": 1} x", "5", String(repeating: "[", count: 100_000)] {
                let result = settings.run("import", "-", input: wrong)
                #expect(result.code == 1 && result.output.isEmpty && !result.errors.isEmpty, "\(result)")
            }
            #expect(settings.run("import", "/does/not/exist").errors.contains("cannot be read"))
            #expect(settings.run("get", "port").output == "9000\n")
            try withTemporaryDirectory { (directory: String) in
                let file = directory + "/a b.json"
                try write(#"{"$schema": "x", "$comment": "y", "port": 81}"#, to: file)
                #expect(settings.run("import", file).code == 0 && settings.run("get", "port").output == "81\n")
            }
        }
    }

    @Test(
        "A closed output ends a subcommand without a message, after its changes; one that fails is a failure",
        arguments: TestedProgram.allCases, [POSIXErrorCode.EPIPE, .ENOSPC])
    func outputs(program: TestedProgram, code: POSIXErrorCode) throws {
        try program.withSettings { settings in
            #expect(settings.run("set", "port", "1") == .init(0))
            for arguments in [
                ["list"], ["list", "--json"], ["get", "port"], ["explain", "port"], ["export"], ["help"],
                ["import", "-"],
            ] {
                let errors = Box("")
                let result = settings.run(arguments, input: #"{"port": 2}"#) { _ in
                    throw POSIXError(code)
                } errors: {
                    errors.value += $0
                }
                #expect(result == (code == .EPIPE ? 0 : 1), "\(arguments)")
                #expect(errors.value.hasPrefix("The output cannot be written: ") == (code != .EPIPE), "\(errors.value)")
            }
            #expect(settings.run("get", "port").output == "2\n")
        }
    }
}
