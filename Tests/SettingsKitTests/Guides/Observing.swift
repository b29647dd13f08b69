import Foundation
import SettingsKit
import Testing

@Test(.timeLimit(Rounds.timeLimit)) private func theListenersOfObservingEndWithTheirTasks() async {
    let settings = SettingsService(defaults: MemoryStore(), shared: MemoryStore(), diagnosticSink: .none)
    let subscriptions = [announce(settings), redrawWhenNeeded(settings)]
    let tasks = [
        Task { await follow(settings) }, Task { await log(settings) }, Task { await watchForProblems(settings) },
    ]
    settings.set(.theme, to: .dark)
    settings.set(.volume, to: 0.25)
    for subscription in subscriptions { subscription.cancel() }
    for task in tasks {
        task.cancel()
        await task.value
    }
    #expect(settings.get(.theme) == .dark)
}
