import Foundation
import SettingsKit
import Testing

@Test("Coming from swift-configuration: arguments, variables and a file in this order, and a required value")
private func aServerReadsArgumentsVariablesAndAFile() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("Settings.plist")
        let text = "<plist version=\"1.0\"><dict><key>http.timeout</key><integer>30</integer></dict></plist>"
        try Data(text.utf8).write(to: file)
        func settings(_ arguments: [String] = [], _ variables: [String: String] = [:]) throws -> SettingsService {
            try serverSettings(arguments: arguments, variables: variables, file: file)
        }
        #expect(try settings()[.timeout] == 30)
        #expect(try settings([], ["APP_HTTP_TIMEOUT": "15"])[.timeout] == 15)
        #expect(try settings(["--http-timeout", "10"], ["APP_HTTP_TIMEOUT": "15"])[.timeout] == 10)
        #expect(throws: MissingSetting.self) { try requiredKey(in: settings()) }
        #expect(try requiredKey(in: settings([], ["APP_API_KEY": "k-1"])) == "k-1")
    }
}
