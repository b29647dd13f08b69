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
    /// ## Changes while a tracker reads
    /// A tracker ends on the stored value, also if another thread or process changes the setting while the tracker's
    /// closure runs. The Observation framework installs a tracker when its closure returns, and does not notify it of
    /// earlier changes. So a `Value` notifies the trackers that have read an older value once more, up to ten times in
    /// 1.9 seconds with growing pauses. The closure must return within that time after the read; otherwise its tracker may
    /// learn of the change only with the next one. A tracker that has read the new value is not notified again, except
    /// when a change arrives during its read, or when the setting is read and changed many times a second.
    ///
    /// Trackers are notified on the thread that made the change; for the notifications that follow, on a thread of Swift's
    /// concurrency pool.
    public final class Value<T: Sendable>: Observable, Sendable {
        private let service: SettingsService
        private let setting: Setting<T>
        @usableFromInline let cached: CachedSettingValue<T>

        init(_ setting: Setting<T>, in service: SettingsService) {
            self.service = service
            self.setting = setting
            cached = service.cachedSetting(for: setting)
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
