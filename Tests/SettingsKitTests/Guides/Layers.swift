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
