import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine

@Suite("Arguments, help, secrets and outputs of commands")
struct CommandBasicsTests {
    @Test("Help lists the subcommands")
    func help() {
        let desk = Desk()
        let expected = """
            Desk: settings

            Usage: desk SUBCOMMAND ...

              list     Show all settings with their values and sources.
              get      Print the value of a setting.
              set      Store a value.
              delete   Remove stored values, so that the next layer or the default counts.
              edit     Edit the settings in an editor.
              watch    Print changes as they are made.
              export   Print the stored values as JSON.
              import   Store the values of a JSON file: all of them, or none.
              check    Report all problems at once.
              explain  Show what each layer has for a setting, and which one counts.

            Exit codes: 0 done, 1 failed, 2 wrong usage, 3 problems found by check.
            desk SUBCOMMAND --help has more about a subcommand.

            """
        #expect(desk.run("help") == .init(0, expected) && desk.run() == .init(2, errors: expected))
    }

    @Test("Secrets are nowhere but where they are asked for")
    func secrets() throws {
        let desk = Desk()
        #expect(desk.run("set", "token", Desk.secret).code == 0)
        #expect(desk.settings.get(.token) == Desk.secret)
        #expect(desk.run("get", "token").output == "•••\n")
        #expect(desk.run("get", "token", "--secrets").output == Desk.secret + "\n")
        #expect(desk.run("get", "token", "--secrets", "--json").json == .string(Desk.secret))
        let exported = desk.run("export")
        #expect(exported.output == "{}\n" && exported.errors.contains("Left out, because secret: token."))
        #expect(desk.run("export", "--secrets").json == .object(["token": .string(Desk.secret)]))
        let commands = [
            ["list"], ["list", "--json"], ["get", "token"], ["get", "token", "--json"], ["explain", "token"],
            ["explain", "token", "--json"], ["check"], ["check", "--json"], ["export"], ["help"],
            ["import", "-", "--dry-run"], ["import", "-"],
        ]
        for bytes in [nil, "{\"\(Desk.secret)\":1}", "5"] {
            if let bytes { try desk.write("token", bytes) }
            for arguments in commands {
                let result = desk.run(arguments, input: #"{"token": "\#(Desk.secret)-2"}"#)
                #expect(!result.output.contains("5ecret") && !result.errors.contains("5ecret"), "\(arguments)")
            }
        }
        #expect(!desk.diagnosed.all.contains { "\($0)".contains("5ecret") })
    }

    @Test("watch shows no secrets", .timeLimit(Rounds.timeLimit))
    func watch() throws {
        let desk = Desk()
        let result = Box<Desk.Result?>(nil)
        Thread { result.value = desk.run("watch", "token", "--count", "1") }.start()
        var round = 0
        // The first changes may be made before the command listens.
        while result.value == nil {
            round += 1
            desk.settings.set(.token, to: "\(Desk.secret)\(round)")
        }
        #expect(result.value?.output.hasSuffix("  token: •••  (local)\n") == true && result.value?.errors == "")
    }

    @Test("An exit code stays the same if its message or its output is not read")
    func exitCodesOfClosedStreams() throws {
        func code(_ desk: Desk, _ arguments: String...) -> Int32 {
            desk.command.run(
                arguments, input: { Data() }, output: { _ in throw POSIXError(.EPIPE) },
                errors: { _ in throw POSIXError(.EPIPE) })
        }
        let (full, broken) = (Desk(FullStore()), Desk())
        #expect(code(full, "nothing") == 2 && code(full) == 2 && code(full, "set", "port", "1") == 1)
        try broken.write("port", "0")
        #expect(code(broken, "check") == 3 && code(broken, "check", "--json") == 3)
    }

    @Test(
        "A pipe that is full and does not block receives the whole text, and one that nothing reads is an error, and no signal",
        .timeLimit(Rounds.timeLimit))
    func pipes() throws {
        var descriptors: [Int32] = [0, 0]
        #expect(pipe(&descriptors) == 0)
        #expect(fcntl(descriptors[1], F_SETFL, O_NONBLOCK) == 0)
        let text = String(repeating: "0123456789abcdef", count: 40_000)
        let reader = FileHandle(fileDescriptor: descriptors[0], closeOnDealloc: true)
        let received = Box<Data?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread {
            do { received.value = try reader.readToEnd() } catch { Issue.record(error) }
            done.signal()
        }
        .start()
        #expect(throws: Never.self) { try StandardStreams.write(text, to: descriptors[1]) }
        close(descriptors[1])
        done.wait()
        #expect(received.value == Data(text.utf8))
        #expect(pipe(&descriptors) == 0)
        close(descriptors[0])
        defer { close(descriptors[1]) }
        let error = #expect(throws: POSIXError.self) { try StandardStreams.write("text", to: descriptors[1]) }
        #expect(error?.code == .EPIPE)
    }

    @Test("The allowed values of a secret setting are secret, too")
    func secretChoices() throws {
        let choice = Setting<String>(
            "choice", in: .defaults, default: "5ecret-a", validation: .oneOf(["5ecret-a", "5ecret-b"]), isSecret: true)
        let desk = Desk(adding: [choice])
        try desk.write("choice", "\"wrong\"")
        let catalogue = desk.command.catalogue
        var texts = [
            catalogue.help(environmentPrefix: "D_"), catalogue.markdown(environmentPrefix: "D_"),
            catalogue.jsonSchema(), "\(catalogue.check(in: desk.settings))", "\(catalogue.rows(in: desk.settings))",
        ]
        for arguments in [
            ["list", "--json"], ["explain", "choice"], ["explain", "choice", "--json"], ["check"], ["export"],
            ["set", "choice", "wrong"],
        ] {
            _ = desk.command.run(arguments, output: { texts.append($0) }, errors: { texts.append($0) })
        }
        for text in texts { #expect(!text.contains("5ecret"), "\(text)") }
        #expect(desk.run("set", "choice", "5ecret-b") == .init(0))
    }
}
