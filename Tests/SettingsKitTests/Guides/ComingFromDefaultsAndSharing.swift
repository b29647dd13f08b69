import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

@Test("Coming from Defaults: a value that was stored as a string of JSON is converted in place")
private func aStringOfJSONIsConverted() throws {
    try withSuite { suite in
        let defaults = try #require(UserDefaults(suiteName: suite))
        defaults.set(#"{"name":"Ann"}"#, forKey: "account")
        let settings = SettingsService(defaults: UserDefaultsStore(suite: suite), diagnosticSink: .none)
        #expect(settings[.account] == Account())
        try convertAccount(in: settings)
        #expect(settings[.account] == Account(name: "Ann"))
        try convertAccount(in: settings)
        #expect(try settings.load(.account) == Account(name: "Ann"))
    }
}

@Test("Coming from swift-sharing: a file of JSON is read once, and again if it could not be read")
private func aFileOfJSONIsReadOnce() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("meetings.json")
        let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
        try Data("[".utf8).write(to: file)
        #expect(throws: SettingsError.self) { try importMeetings(from: file, to: settings) }
        try Data(#"["Monday"]"#.utf8).write(to: file)
        try importMeetings(from: file, to: settings)
        #expect(settings[.meetings] == ["Monday"])
        settings.reset(.meetings)
        try importMeetings(from: file, to: settings)
        #expect(settings[.meetings].isEmpty)
    }
}

@Test("A new installation has no old file to import")
private func aMissingFileIsNoError() throws {
    let file = URL(fileURLWithPath: "/nowhere/old.json")
    let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
    try importMeetings(from: file, to: settings)
    try importPreferences(from: file, to: settings)
    #expect(settings[.meetings].isEmpty && settings[.displayName].isEmpty)
}

@Test("Coming from a JSON file: members with other names and types become settings, and missing ones keep the default")
private func aFileOfTheProgramIsImported() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("preferences.json")
        let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
        try Data(#"{"refresh_seconds":"soon"}"#.utf8).write(to: file)
        #expect(throws: SettingsError.self) { try importPreferences(from: file, to: settings) }
        try Data(#"{"refresh_seconds":90}"#.utf8).write(to: file)
        try importPreferences(from: file, to: settings)
        #expect(settings[.refreshInterval] == .seconds(90) && !settings.isSet(.displayName))
    }
}
