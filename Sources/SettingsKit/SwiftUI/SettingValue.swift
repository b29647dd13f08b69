#if canImport(SwiftUI)
    import SettingsKitCore
    import SwiftUI

    /// Reads and sets a setting in a view.
    ///
    /// ```swift
    /// struct VolumeSlider: View {
    ///     @SettingValue(.volume) private var volume
    ///
    ///     var body: some View {
    ///         Slider(value: $volume, in: 0...1) { Text("Volume") }
    ///     }
    /// }
    /// ```
    ///
    /// The property uses the service of the environment: give it to the hierarchy with `settingsService(_:)`. The view is updated
    /// on the main actor, once for each change, local or external. Assigning calls ``SettingsService/set(_:to:)``: errors are
    /// diagnosed, and the view keeps the old value. The projected value is a binding: its transaction, with an animation, applies
    /// to the change.
    @propertyWrapper
    public struct SettingValue<T: Sendable>: DynamicProperty {
        private let setting: SettingsService.Setting<T>
        @Environment(\.settingsService) private var service
        @State private var updater = ViewUpdater()

        /// Creates a property for a setting.
        public init(_ setting: SettingsService.Setting<T>) { self.setting = setting }

        /// The value, or the default if none is stored. Assigning to it stores a value.
        public var wrappedValue: T {
            get {
                updater.recordRead()
                return service.get(setting)
            }
            nonmutating set { service.set(setting, to: newValue) }
        }

        /// A binding to the setting, for controls.
        public var projectedValue: Binding<T> {
            let (setting, service, updater) = (setting, service, updater)
            return Binding(
                get: {
                    updater.recordRead()
                    return service.get(setting)
                },
                set: { value, transaction in withTransaction(transaction) { service.set(setting, to: value) } })
        }

        /// Tracks the setting in the environment's service. SwiftUI calls it before the view's body.
        public mutating func update() { updater.follow(setting, in: service) }
    }
#endif
