import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

@Test("Coming from UserDefaults: values are moved once, and a value that is set already stays")
private func valuesAreMovedFromUserDefaults() async throws {
    #expect(settingsInUserDefaults().keys(in: .shared).isEmpty)
    try await withSuite { suite in
        try await withTemporaryFolder { folder in
            let defaults = try #require(UserDefaults(suiteName: suite))
            defaults.set(0.8, forKey: "volume")
            defaults.set("Ann", forKey: "nickname")
            let file = folder.appendingPathComponent("Settings.plist")
            let settings = try moveFromUserDefaults(UserDefaultsStore(suite: suite), to: file)
            #expect(settings[.volume] == 0.8 && settings[.nickname] == "Ann")
            #expect(defaults.object(forKey: "volume") == nil)
            try settings.save(.volume, to: 0.1)
            defaults.set(0.9, forKey: "volume")
            #expect(try moveFromUserDefaults(UserDefaultsStore(suite: suite), to: file)[.volume] == 0.1)
        }
    }
}

@Test("Coming from UserDefaults: a setting over UserDefaults and the rest of the app have one value")
private func settingsStayInUserDefaults() throws {
    try withSuite { suite in
        let defaults = try #require(UserDefaults(suiteName: suite))
        let settings = SettingsService(defaults: UserDefaultsStore(suite: suite), diagnosticSink: .none)
        defaults.set(0.8, forKey: "volume")
        #expect(settings[.volume] == 0.8)
        try settings.save(.volume, to: 0.2)
        #expect(defaults.double(forKey: "volume") == 0.2)
    }
}
