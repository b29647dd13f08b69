import SettingsKit
import Testing

@Test private func launchesAreCounted() {
    let settings = SettingsService(defaults: MemoryStore())
    #expect(countLaunch(in: settings) == 1)
    #expect(countLaunch(in: settings) == 2)
}
