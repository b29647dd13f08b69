import Foundation
import SettingsKit
import Testing

@Test private func theSourcesOfTheGuideAreInItsOrder() async throws {
    try await withTemporaryFolder { folder in
        let port = SettingsService.Setting<Int>("port", in: .defaults, default: 0)
        let catalogue = SettingsCatalogue("Player", [SettingsGroup("All", [port])])
        #expect(thrownCode { try sources(try catalogue.parse([]), in: folder) } == .storeUnavailable)
        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        try write(#"{"port": 1}"#, to: "player.json")
        func value(_ arguments: [String] = []) throws -> Int {
            SettingsService(defaults: try sources(try catalogue.parse(arguments), in: folder)).get(port)
        }
        #expect(try value() == 1)
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("secrets"), withIntermediateDirectories: true)
        try write("2\n", to: "secrets/port")
        #expect(try value() == 2)
        try write("PORT=3", to: ".env")
        #expect(try value() == 3)
        #expect(try value(["--port", "4"]) == 4)
    }
}
