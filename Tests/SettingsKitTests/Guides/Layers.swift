import Foundation
import SettingsKit
import Testing

@Test private func theLayersOfTheGuideLockUncoverAndFallBack() async throws {
    try await withTemporaryFolder { folder in
        let (user, systemWide) = (
            folder.appendingPathComponent("User.plist"), folder.appendingPathComponent("All.plist")
        )
        do {
            let forAll = SettingsService(defaults: try PropertyListStore(url: systemWide), diagnosticSink: .none)
            try forAll.save(.volume, to: 0.3)
            try forAll.save(.user, to: "all")
            try forAll.synchronize()
        }
        let managed = MemoryStore()
        let settings = try layeredService(managed: managed, user: user, systemWide: systemWide)
        #expect(settings[.volume] == 0.3 && settings.source(of: .volume) == .layer("system"))
        try raiseVolume(in: settings)
        #expect(settings[.volume] == 1 && settings.source(of: .volume) == .store)
        try SettingsService(defaults: managed).save(.volume, to: 0.1)
        #expect(settings.isLocked(.volume) && !settings.isLocked(.isMuted))
        describe(settings)
        try raiseVolume(in: settings)
        #expect(settings[.volume] == 0.1 && settings.source(of: .volume) == .layer("managed"))
        let preview = loudPreview(of: settings)
        #expect(preview[.volume] == 1 && settings[.volume] == 0.1 && preview[.user] == "all")
    }
}

@Test private func theFormatOfTheGuideReadsLinesAndTheFilesOfTheGuideAreLayers() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("player.lines")
        let port = SettingsService.Setting<Int>("port", in: .defaults, default: 0)
        try Data("port: 8080\n".utf8).write(to: file)
        #expect(SettingsService(defaults: try LayeredStore([.file(file, format: .lines)])).get(port) == 8080)
        try Data("port: 8080\nport\n".utf8).write(to: file)
        let error = #expect(throws: SettingsError.self) {
            try LayeredStore([.file(file, format: .lines, isRequired: true)])
        }
        #expect(error.map { "\($0)".contains("A colon is missing (line 2).") } == true)
        #expect(thrownCode { try playerStore(MemoryStore()) } == .storeUnavailable)
        #expect(try secretStore(MemoryStore()).layerNames == ["credentials", "/run/secrets/player", nil])
        let guide = try Guide("Layers").text
        let json = try #require(
            guide.components(separatedBy: "```json\n").dropFirst().first?.components(separatedBy: "```").first)
        let example = folder.appendingPathComponent("example.json")
        try Data(json.utf8).write(to: example)
        let settings = SettingsService(defaults: try LayeredStore([.file(example, isRequired: true)]))
        #expect(settings[.volume] == 0.8)
        #expect(settings.get(SettingsService.Setting<Int>("http.port", in: .defaults, default: 0)) == 8080)
        #expect(settings.get(SettingsService.Setting<Int>("http:timeout", in: .defaults, default: 0)) == 30)
    }
}
