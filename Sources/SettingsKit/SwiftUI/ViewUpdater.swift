import Observation
import SettingsKitCore
import Synchronization

/// Makes a view track a setting: the view is updated on the main actor, once for each change.
///
/// A view keeps one updater for its lifetime, and connects it each time before it reads. Only another service or another setting
/// creates a new subscription. A change that the main actor makes updates the view before `set` returns, so that an animation
/// around the change animates the view. Changes of other threads are collected until the main actor is free. Views read on the main
/// actor, so a change during a read updates the view after it.
final class ViewUpdater: Observable, Sendable {
    private struct Connection {
        let service: SettingsService
        let setting: SettingsService.SettingDefinition
        let subscription: SettingsService.Subscription
    }

    private let connection = Mutex<Connection?>(nil, .leaf)
    private let isUpdateDue = Atomic(false)
    private let registrar = ObservationRegistrar()

    /// Represents the values that the view reads.
    private var contents: Void { () }

    /// Tracks a setting.
    func follow<T>(_ setting: SettingsService.Setting<T>, in service: SettingsService) {
        let isConnected = connection.withLock { connection in
            connection.map { $0.service === service && $0.setting === setting } ?? false
        }
        if isConnected { return }
        let subscription = service.observe(setting) { [weak self] _ in self?.updateOnMainActor() }
        let new = Connection(service: service, setting: setting, subscription: subscription)
        let replaced = connection.withLock { connection in
            defer { connection = new }
            return connection
        }
        withExtendedLifetime(replaced) {}
    }

    /// Records that the view reads now.
    func recordRead() { registrar.access(self, keyPath: \.contents) }

    private func updateOnMainActor() {
        if MainQueue.isCurrent { return update() }
        // One update shows all changes before it.
        if isUpdateDue.exchange(true, ordering: .acquiringAndReleasing) { return }
        Task { @MainActor [weak self] in
            guard let self else { return }
            isUpdateDue.store(false, ordering: .releasing)
            update()
        }
    }

    private func update() {
        HeldLocks.requireNone(before: "a view")
        registrar.withMutation(of: self, keyPath: \.contents) {}
    }
}

/// Creates services that override values, once for each base service: a view asks for one at each update.
final class OverridingServices: Sendable {
    private typealias Last = (base: SettingsService, overriding: SettingsService)

    private let last = Mutex<Last?>(nil, .leaf)

    /// Returns the service that overrides values of `base`.
    func service(
        over base: SettingsService, _ body: (inout SettingsService.Transaction) -> Void
    ) -> SettingsService {
        if let known = last.withLock({ $0 }), known.base === base { return known.overriding }
        let overriding = base.overriding(body)
        let (kept, replaced) = last.withLock { last in
            if let known = last, known.base === base { return (known.overriding, nil as Last?) }
            defer { last = (base, overriding) }
            return (overriding, last)
        }
        withExtendedLifetime(replaced) {}
        return kept
    }
}
