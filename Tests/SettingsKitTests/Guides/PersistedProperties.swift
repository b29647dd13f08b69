import Foundation
import SettingsKit
import Testing

@Test private func propertiesOfTheArticleHaveTheirValues() throws {
    SharedPlayer().mute()
    #expect(settings.get(.volume) == 0)

    let id = Installation().id
    #expect(Installation().id == id)

    let uploader = Uploader(store: store)
    uploader.endpoint = URL(string: "https://example.org")
    #expect(Uploader(store: store).endpoint == URL(string: "https://example.org"))

    let session = Session()
    session.token = "abc"
    #expect(store.get(.init("token", scope: .defaults)) == Data("\"cba\"".utf8))
    session.token = nil
    #expect(store.get(.init("token", scope: .defaults)) == nil)
}
