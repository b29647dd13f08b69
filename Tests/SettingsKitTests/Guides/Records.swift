import Foundation
import SettingsKit
import Testing

@Test private func recordsOfTheArticleAreStoredFieldByField() async throws {
    let store = MemoryStore(["ApiAddress": Data("\"https://example.org\"".utf8)])
    let parameters = try openParameters(in: store)
    #expect(parameters.apiURL == URL(string: "https://example.org"))
    let task = Task { await follow(parameters) }
    try configure(store, url: #require(URL(string: "https://example.com")))
    #expect(store.keys().isEmpty)
    task.cancel()
    await task.value

    let branding = try SettingsStorage<Branding>(name: "branding", in: store)
    branding.title = "SettingsKit"
    #expect(store.get(.init("branding:Title", scope: .defaults)) == Data("\"SettingsKit\"".utf8))
}

@Test private func theStructureOfTheArticleReadsItsArguments() throws {
    let store = MemoryStore()
    let server = try openServer(["--hosts", "a,b"], storedIn: store)
    server.port = 9000
    #expect(server.hosts == ["a", "b"] && store.keys() == ["port"])
}
