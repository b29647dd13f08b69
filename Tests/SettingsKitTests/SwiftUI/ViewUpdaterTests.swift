import Foundation
import Observation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKit

/// What `SettingValue` does, without SwiftUI: read on the main actor inside of a tracker.
@Suite("The updates of a view", .timeLimit(Rounds.timeLimit))
struct ViewUpdaterTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)

    /// A view: its body reads the setting, and runs again after an update.
    @MainActor private final class TestView {
        private let read: @MainActor () -> Int
        var shown: [Int] = []
        var updates = 0

        init(_ read: @escaping @MainActor () -> Int) {
            self.read = read
            body()
        }

        func body() {
            withObservationTracking {
                shown.append(read())
            } onChange: {
                // Ends the process on any other actor.
                MainActor.assumeIsolated { self.updates += 1 }
                Task { @MainActor in self.body() }
            }
        }
    }

    @MainActor private func view(_ updater: ViewUpdater) -> TestView {
        TestView { [settings, number] in
            updater.follow(number, in: settings)
            updater.recordRead()
            return settings.get(number)
        }
    }

    @Test("A change by the main actor updates the view once, before set returns")
    @MainActor func mainActor() async throws {
        let view = view(ViewUpdater())
        settings.set(number, to: 1)
        #expect(view.updates == 1)
        try await untilOnMainActor { view.shown == [0, 1] }
        settings.set(number, to: 1)
        #expect(view.updates == 1)
    }

    @Test("A change by another thread updates the view on the main actor")
    @MainActor func otherThread() async throws {
        let view = view(ViewUpdater())
        for value in 1...20 {
            onAnotherThread { [settings, number] in settings.set(number, to: value) }
            #expect(view.updates == value - 1)
            try await untilOnMainActor { view.shown.last == value }
            #expect(view.updates == value)
        }
    }

    @Test("Changes of other threads that the main actor is too busy for are one update")
    @MainActor func gathered() async throws {
        let view = view(ViewUpdater())
        for value in 1...20 {
            onAnotherThread { [settings, number] in settings.set(number, to: value) }
        }
        try await untilOnMainActor { view.shown.last == 20 }
        #expect(view.shown == [0, 20])
        #expect(view.updates == 1)
    }

    @Test("A change during a read updates the view after it")
    @MainActor func duringRead() async throws {
        let updater = ViewUpdater()
        let isFirst = Box(true)
        let view = TestView { [settings, number] in
            updater.follow(number, in: settings)
            updater.recordRead()
            let value = settings.get(number)
            if isFirst.take(replacingWith: false) { onAnotherThread { settings.set(number, to: 5) } }
            return value
        }
        try await untilOnMainActor { view.shown == [0, 5] }
    }

    @Test("Connecting again to the same setting makes no new subscription")
    @MainActor func connecting() async throws {
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

    @Test("An updater is released with its view, and ends its subscription")
    @MainActor func lifetime() {
        weak var updater: ViewUpdater?
        do {
            let new = ViewUpdater()
            new.follow(number, in: settings)
            updater = new
        }
        #expect(updater == nil)
    }

    @Test("Values laid over a service are laid over it once")
    @MainActor func overriding() {
        let services = OverridingServices()
        let calls = Box(0)
        func overriding(_ base: SettingsService) -> SettingsService {
            services.service(over: base) {
                calls.value += 1
                $0[number] = 7
            }
        }
        let preview = overriding(settings)
        #expect(preview.get(number) == 7)
        preview.set(number, to: 8)
        #expect(overriding(settings) === preview)
        #expect(overriding(settings).get(number) == 8)
        #expect(settings.get(number) == 0)
        #expect(calls.value == 1)
        #expect(overriding(SettingsService(stores: [:], diagnosticSink: .none)) !== preview)
    }

    @Test("A service that was laid over another one is released without a lock")
    func overridingRelease() async {
        await #expect(processExitsWith: .success) {
            let services = OverridingServices()
            for _ in 0..<2 {
                let base = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)
                _ = services.service(over: base) { _ in }
            }
        }
    }
}

/// Returns when a condition holds, and ends the test if it does not hold in time.
@MainActor func untilOnMainActor(_ condition: @MainActor () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    try #require(condition(), "waited in vain")
}
