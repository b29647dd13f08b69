import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

@Suite("Environment files")
struct EnvironmentTransferTests {
    private func texts(_ settings: TransferredSettings) -> [String: String] {
        settings.values.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    @Test("An export can be used by a shell and says the names of the settings")
    func writing() {
        let text = EnvironmentTransfer.text(
            of: [
                "launchCount": Data("3".utf8), "server.hosts": Data(#"["it's"]"#.utf8),
                "motto": Data("\"a $b\\n'c'\"".utf8),
                "yes": Data("\"true\"".utf8), "seal": Data([1, 2, 3]), "server-hosts": Data("null".utf8),
                "3d": Data("true".utf8),
            ], prefix: "")
        #expect(
            text == #"""
                # setting "3d"
                _3D=true
                # setting "launchCount"
                LAUNCH_COUNT=3
                # setting "motto"
                MOTTO="a \$b\n'c'"
                # setting "seal" as data
                SEAL='AQID'
                # setting "server-hosts"
                SERVER_HOSTS=null
                # setting "server.hosts" as json
                SERVER_HOSTS_2='["it\u0027s"]'
                # setting "yes"
                YES='true'

                """#)
    }

    @Test("A shell sets the variables of an export")
    func shell() throws {
        let values = ["a": "plain", "b": "it's $HOME `x` \"q\" \\n", "c": "", "d": "tab or # hash", "e": "true"]
        let settings = values.mapValues { StoredText.json(ofString: $0) }
        try withTemporaryDirectory { (path: String) in
            let file = path + "/settings.env"
            try EnvironmentTransfer.text(of: settings, prefix: "T_").write(
                toFile: file, atomically: true, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", ". \"$0\"; printf '%s|' \"$T_A\" \"$T_B\" \"$T_C\" \"$T_D\" \"$T_E\"", file]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(output == values.sorted { $0.key < $1.key }.map { $0.value + "|" }.joined())
        }
    }

    @Test("A file without comments follows the names and kinds of the stored settings")
    func foreignFile() throws {
        let stored = [
            "launchCount": Data("3".utf8), "zip": Data("\"01234\"".utf8), "isOn": Data("true".utf8),
            "hosts": Data("[]".utf8),
        ]
        let file = """
            # A comment
            export APP_LAUNCH_COUNT="4"
            APP_ZIP=99999   # a code

            APP_IS_ON='false'
            APP_HOSTS='["a"]'
            APP_NEW=5
            APP_TEXT=5 apples
            OTHER=left out
            APP_EMPTY=
            APP_HASH=a#b
            """
        let read = try EnvironmentTransfer.read(Data(file.utf8), over: stored, prefix: "APP_")
        #expect(
            texts(read) == [
                "launchCount": "4", "zip": "\"99999\"", "isOn": "false", "hosts": #"["a"]"#, "NEW": "5",
                "TEXT": "\"5 apples\"", "EMPTY": "\"\"",
                "HASH": "\"a#b\"",
            ])
        #expect(read.unsupported.isEmpty)
    }

    @Test("A variable that stands for several stored settings is reported and not taken")
    func ambiguousVariable() throws {
        let read = try EnvironmentTransfer.read(Data("A_B=1\nC=2".utf8), over: ["a.b": Data(), "a-b": Data()])
        #expect(texts(read) == ["C": "2"])
        #expect(read.unsupported == [.init(name: "A_B", reason: #"it stands for several settings: "a-b", "a.b""#)])
    }

    @Test(
        "Quotation marks, escapes and line ends are read",
        arguments: [
            ("A='x\ny'", "\"x\\ny\""), ("A=\"x\\ty\\q\"", "\"x\\ty\\\\q\""), ("A=1\r\n", "1"), ("A=\"1\"\r", "\"1\""),
            ("  A = 1", nil), ("A= 1 ", "1"),
            ("A='open", nil), ("A='a' b", nil), ("1A=2", nil), ("A", nil), ("=1", nil), ("A=\"a\" # b", "\"a\""),
            ("A=$HOME", "\"$HOME\""),
            ("A=\0", nil), ("# setting \"a\" as json\nA='{'", nil), ("# setting \"a\" as data\nA='?'", nil),
            ("# setting \"A\" as list\nA=1", "1"),
            ("# setting \"b\"\n\nA=1", "1"), ("A=1e5", "1e5"), ("A=01", "\"01\""), ("A=TRUE", "\"TRUE\""),
        ])
    func lines(_ file: String, _ expected: String?) {
        let read = try? EnvironmentTransfer.read(Data(file.utf8))
        #expect(read?.values["A"].map { String(decoding: $0, as: UTF8.self) } == expected)
        #expect((read == nil) == (expected == nil))
    }

    @Test("An error says the line and the variable, and never shows a value")
    func problems() {
        do throws(TransferProblem) {
            _ = try EnvironmentTransfer.read(Data("A=1\n\nB='sesame".utf8))
            Issue.record("It was read.")
        } catch {
            #expect(error == TransferProblem(message: "The quotation mark of B is not closed.", line: 3))
        }
    }
}
