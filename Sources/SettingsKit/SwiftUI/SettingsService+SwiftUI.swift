#if canImport(SwiftUI)
    import SettingsKitCore
    import SwiftUI

    extension SettingsService.Value {
        /// A binding to the setting, for controls. Its transaction, with an animation, applies to the change.
        ///
        /// ```swift
        /// Toggle("Dark", isOn: live.binding)
        /// ```
        public var binding: Binding<T> {
            Binding(
                get: { self.value },
                set: { value, transaction in withTransaction(transaction) { self.set(value) } })
        }
    }

    extension EnvironmentValues {
        /// The service of a view hierarchy; see `settingsService(_:)`. Without one, settings have their defaults, and setting them
        /// is diagnosed: a view does not open the app's file.
        ///
        /// ```swift
        /// @Environment(\.settingsService) private var settings
        /// ```
        public var settingsService: SettingsService {
            get { self[SettingsServiceKey.self] }
            set { self[SettingsServiceKey.self] = newValue }
        }
    }

    private struct SettingsServiceKey: EnvironmentKey {
        static let defaultValue = SettingsService(stores: [:], diagnosticSink: .standard)
    }

    extension View {
        /// Gives a view and the views in it a service: ``SettingValue`` and ``SettingsForm`` use it.
        ///
        /// ```swift
        /// WindowGroup { ContentView().settingsService(settings) }
        /// ```
        public func settingsService(_ service: SettingsService) -> some View {
            environment(\.settingsService, service)
        }

        /// Overrides values of the service, in memory: for previews.
        ///
        /// ```swift
        /// #Preview { ContentView().settingsOverriding { $0[.theme] = .dark } }
        /// ```
        ///
        /// Values that the views set also stay in memory; see ``SettingsService/overriding(_:)``.
        public func settingsOverriding(
            _ body: @escaping (inout SettingsService.Transaction) -> Void
        ) -> some View {
            modifier(SettingsOverriding(change: body))
        }
    }

    private struct SettingsOverriding: ViewModifier {
        let change: (inout SettingsService.Transaction) -> Void
        @Environment(\.settingsService) private var service
        @State private var overriding = OverridingServices()

        func body(content: Content) -> some View {
            content.settingsService(overriding.service(over: service, change))
        }
    }
#endif
