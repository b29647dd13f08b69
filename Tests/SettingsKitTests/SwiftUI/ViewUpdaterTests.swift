import Foundation
import Observation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKit

/// A view: its body reads, and runs again after an update.
@MainActor final class TrackingView<Content> {
    private let read: @MainActor () -> Content
    private(set) var shown: [Content] = []
    private(set) var updates = 0

    init(_ read: @escaping @MainActor () -> Content) {
        self.read = read
        body()
    }

    private func body() {
        withObservationTracking {
            shown.append(read())
        } onChange: {
            // Ends the process on any other actor.
            MainActor.assumeIsolated { self.updates += 1 }
            Task { @MainActor in self.body() }
        }
    }
}

/// What `SettingValue` does, without SwiftUI: read on the main actor inside of a tracker.
@Suite("The updates of a view", .timeLimit(Rounds.timeLimit))
@MainActor struct ViewUpdaterTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)

    private func view(_ updater: ViewUpdater) -> TrackingView<Int> {
        TrackingView { [settings, number] in
            updater.follow(number, in: settings)
            updater.recordRead()
            return settings.get(number)
        }
    }

    @Test("A change by the main actor updates the view once, before set returns")
    func mainActor() async throws {
        let view = view(ViewUpdater())
        settings.set(number, to: 1)
        #expect(view.updates == 1)
        try await untilOnMainActor { view.shown == [0, 1] }
        settings.set(number, to: 1)
        #expect(view.updates == 1)
    }

    @Test("Changes by other threads update the view on the main actor, once for all that it was too busy for")
    func otherThreads() async throws {
        let view = view(ViewUpdater())
        for value in 1...20 { onAnotherThread { [settings, number] in settings.set(number, to: value) } }
        try await untilOnMainActor { view.shown.last == 20 }
        #expect(view.shown == [0, 20] && view.updates == 1)
    }

    @Test("A change during a read updates the view after it")
    func duringRead() async throws {
        let updater = ViewUpdater()
        let isFirst = Box(true)
        let view = TrackingView { [settings, number] in
            updater.follow(number, in: settings)
            updater.recordRead()
            let value = settings.get(number)
            if isFirst.take(replacingWith: false) { onAnotherThread { settings.set(number, to: 5) } }
            return value
        }
        try await untilOnMainActor { view.shown == [0, 5] }
    }

    @Test("An updater has one subscription, to the setting and the service that it follows")
    func connecting() async throws {
        let updater = ViewUpdater()
        let view = view(updater)
        for _ in 0..<100 { updater.follow(number, in: settings) }
        settings.set(number, to: 1)
        #expect(view.updates == 1)
        // Another service takes the place of the first one.
        let other = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)
        try await untilOnMainActor { view.shown == [0, 1] }
        updater.follow(number, in: other)
        settings.set(number, to: 2)
        #expect(view.updates == 1)
        other.set(number, to: 3)
        #expect(view.updates == 2)
    }

    @Test("Values that override those of a service do so once for each service")
    func overriding() {
        let services = OverridingServices()
        let calls = Box(0)
        func overriding(_ base: SettingsService) -> SettingsService {
            services.service(over: base) {
                calls.value += 1
                $0[number] = 7
            }
        }
        let preview = overriding(settings)
        #expect(preview.get(number) == 7 && settings.get(number) == 0)
        #expect(overriding(settings) === preview && calls.value == 1)
        #expect(overriding(SettingsService(stores: [:], diagnosticSink: .none)) !== preview)
    }
}

/// Returns when a condition holds, and ends the test if it does not hold in time.
@MainActor func untilOnMainActor(_ condition: @MainActor () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    try #require(condition(), "waited in vain")
}
