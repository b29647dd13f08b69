import Foundation
import SettingsKit
import Testing

@Test private func theCatalogueOfTheGuideListsItsSettings() {
    let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
    settings.set(.apiKey, to: "k-of-this-test")
    start(settings)
    #expect(catalogue.rows(in: settings).map(\.text) == ["false", "medium", "3", "•••"])
}
