import Foundation
import SettingsKit
import Testing

@Test private func theServiceOfTheGuidePlays() async throws {
    try await withTemporaryFolder { folder in
        let settings = try makeService(file: folder.appendingPathComponent("Settings.plist"))
        play(in: settings)
        #expect(settings.get(.launchCount) == 1)
        #expect(settings.keys(in: .defaults) == ["launchCount"])
        try saveTheme(.dark, in: settings)
        #expect(settings.get(.theme) == .system)
        #expect(!settings.isSet(.installed))
    }
}
