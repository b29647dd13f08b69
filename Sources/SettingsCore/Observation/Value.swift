import Observation
import Synchronization

extension SettingsService {
    /// A setting as an observable object: read and set ``value``, and whoever tracks it hears of every change, by
    /// whomever it was made.
    ///
    /// ```swift
    /// let live = settings.value(.theme)
    /// live.value = .dark
    /// withObservationTracking { apply(live.value) } onChange: { scheduleUpdate() }
    /// for await theme in Observations({ live.value }) { apply(theme) }
    /// ```
    ///
    /// (`Observations` comes with Swift 6.2; on Apple platforms it needs the systems of 2025.)
    ///
    /// Reading costs little more than reading a variable. It may be used from any thread. Trackers are told on the thread
    /// that made the change. It keeps the service alive.
    public final class Value<T: Codable & Sendable>: Observable, Sendable {
        private let service: SettingsService
        private let setting: Setting<T>
        @usableFromInline let cell: Cell<T>
        @usableFromInline let registrar = ObservationRegistrar()
        /// Made once: a key path of a generic type costs more than the whole reading.
        @usableFromInline let keyPath: KeyPath<Value<T>, T> & Sendable
        private let subscription: Subscription

        init(_ setting: Setting<T>, in service: SettingsService) {
            self.service = service
            self.setting = setting
            let cell = service.cell(of: setting)
            self.cell = cell
            keyPath = \Value<T>.value
            let relay = Relay<T>()
            subscription = service.subscription(
                to: setting,
                ending: cell.listen(.signal { _ in relay.tell() }))
            relay.value.withLock { $0 = WeakReference(self) }
        }

        /// The setting's name and scope.
        public var key: StorageKey { setting.key }

        /// The setting's value, as ``SettingsService/get(_:)`` and ``SettingsService/set(_:to:)`` have it.
        @inlinable public var value: T {
            get {
                registrar.access(self, keyPath: keyPath)
                return cell.value()
            }
            set { set(newValue) }
        }

        /// Sets the setting, as ``SettingsService/set(_:to:)`` does.
        public func set(_ newValue: T) {
            service.set(setting, to: newValue)
        }

        fileprivate func didChange() {
            registrar.withMutation(of: self, keyPath: keyPath) {}
        }
    }
}

/// Passes a listener's signals on to a `Value`, without keeping it alive.
private final class Relay<T: Codable & Sendable>: Sendable {
    let value = Mutex(WeakReference<SettingsService.Value<T>>(nil))

    func tell() {
        value.withLock { $0.object }?.didChange()
    }
}
