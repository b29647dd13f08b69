import Observation

extension SettingsService {
    /// A setting as an observable object. Read and set ``value``; observers are notified of every change, local or external.
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
    /// Reading costs little more than reading a variable. It may be used from any thread. It keeps the service alive.
    ///
    /// Trackers are notified after each change, on the thread that made it. The Observation framework installs a tracker when its
    /// closure returns, and does not notify it of earlier changes. So all trackers are notified once more, on a thread of Swift's
    /// concurrency pool, when there was no change for 0.1 seconds: a tracker ends on the stored value, also if another thread or
    /// process changes the setting while its closure runs, provided that the closure returns within that time.
    public final class Value<T: Sendable>: Observable, Sendable {
        private let service: SettingsService
        private let setting: Setting<T>
        @usableFromInline let cached: Slot<T>

        init(_ setting: Setting<T>, in service: SettingsService) {
            self.service = service
            self.setting = setting
            cached = service.slot(for: setting)
        }

        /// The setting's name and scope.
        public var key: StorageKey { setting.key }

        /// The setting's value. Reading it calls ``SettingsService/get(_:)``, and assigning to it ``SettingsService/set(_:to:)``.
        public var value: T {
            @inlinable get { cached.tracked { cached.value() } }
            set { set(newValue) }
        }

        /// Sets the setting, as ``SettingsService/set(_:to:)`` does.
        public func set(_ newValue: T) {
            service.set(setting, to: newValue)
        }
    }
}
