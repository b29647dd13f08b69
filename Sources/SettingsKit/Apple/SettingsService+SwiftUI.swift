#if canImport(SwiftUI)
    import SettingsKitCore
    import SwiftUI

    extension SettingsService.Value {
        /// A binding to the setting, for controls.
        ///
        /// ```swift
        /// Toggle("Dark", isOn: live.binding)
        /// ```
        public var binding: Binding<T> {
            Binding(get: { self.value }, set: { self.set($0) })
        }
    }

    private struct SettingsKey: EnvironmentKey {
        // Created at its first use, so an app that sets the value never opens this one.
        static let defaultValue = SettingsService()
    }

    extension EnvironmentValues {
        /// The service of a view hierarchy; by default, the app's own property list.
        ///
        /// ```swift
        /// ContentView().environment(\.settings, settings)
        /// @Environment(\.settings) private var settings
        /// ```
        public var settings: SettingsService {
            get { self[SettingsKey.self] }
            set { self[SettingsKey.self] = newValue }
        }
    }
#endif
