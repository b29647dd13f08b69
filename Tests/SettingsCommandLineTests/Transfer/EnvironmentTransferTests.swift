import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

@Suite("Imported files of variables")
struct EnvironmentTransferTests {
    private func texts(_ settings: TransferredSettings) -> [String: String] {
        settings.values.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Variables follow the names and kinds of the stored settings")
    func names() throws {
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
            OTHER=left out
            APP_HASH=a#b
            APP_NEW=6
            """
        let read = try EnvironmentTransfer.read(Data(file.utf8), over: stored, prefix: "APP_")
        #expect(
            texts(read) == [
                "launchCount": "4", "zip": "\"99999\"", "isOn": "false", "hosts": #"["a"]"#, "NEW": "6",
                "HASH": "\"a#b\"",
            ])
        #expect(read.unsupported.isEmpty)
    }

    @Test("A variable that stands for several stored settings, or is of another kind, is reported and not taken")
    func unsupported() throws {
        let stored = ["a.b": Data(), "a-b": Data(), "count": Data("3".utf8)]
        let read = try EnvironmentTransfer.read(Data("A_B=1\nCOUNT=many\nC=2".utf8), over: stored)
        #expect(texts(read) == ["C": "2"])
        #expect(
            read.unsupported == [
                #""A_B": it stands for several settings: "a-b", "a.b"."#,
                #""COUNT": the stored value is of another kind."#,
            ])
    }
}
