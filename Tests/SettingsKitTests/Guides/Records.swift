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

@Test private func theDescribedStructureOfTheArticleIsACatalogueAndIsValidated() throws {
    let player = try SettingsStorage<Player>(in: MemoryStore())
    let timeouts = Recorder<Int>()
    let subscription = player.observe(\.proxy.timeout) { timeouts.append($0) }
    let printing = listen(to: player)
    player.proxy.url = URL(string: "https://example.org")
    useDefaultProxy(of: player)
    #expect(player.proxy.url == nil)
    player.proxy.timeout = 61
    player.proxy.timeout = 60
    player.volume = 2
    #expect(player.get().proxy.timeout == 60 && player.volume == 0.5 && timeouts.all == [60])
    #expect(playerSettings.groups.map(\.title) == ["Player", "proxy"])
    #expect(
        playerSettings.settings.map(\.key.name)
            == ["volume", "log-level", "token", "isMuted", "proxy.url", "proxy.timeout"])
    printing.cancel()
    subscription.cancel()
}
