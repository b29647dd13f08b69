import Foundation
import SettingsKit
import SettingsSQLite
import Testing

@Test("Parameters have a table of their own")
private func parameters() throws {
    try withTemporaryDirectory { path in
        let folder = URL(fileURLWithPath: path)
        let parameters = try openParameters(in: folder)
        parameters.isDetailed = true
        parameters.apiURL = URL(string: "https://example.org")
        #expect(try openParameters(in: folder).apiURL?.host == "example.org")
    }
}
