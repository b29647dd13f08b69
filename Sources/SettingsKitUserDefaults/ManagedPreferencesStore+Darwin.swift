#if canImport(Darwin)
    import Foundation
    import SettingsKitFiles

    extension ManagedPreferencesStore {
        package static let standard = ManagedPreferencesStore(SystemManagedValues())
    }

    /// The values that an administrator forces, in the standard `UserDefaults`.
    private final class SystemManagedValues: ManagedValues {
        /// The name under which a device management server puts the configuration of the app. An observed property cannot have full
        /// stops in its name.
        private static let configurationName = "com.apple.configuration.managed"

        private let defaults = SystemDefaults(.standard)

        func names() -> [String] {
            defaults.withDefaults { defaults in
                let forced = defaults.names.filter { defaults.objectIsForced(forKey: $0) }
                return Array(Set(forced).union(Self.configuration(in: defaults).keys))
            }
        }

        func value(named name: String) -> Data? {
            defaults.withDefaults { defaults in
                let isForced = defaults.objectIsForced(forKey: name)
                let object = isForced ? defaults.object(forKey: name) : Self.configuration(in: defaults)[name]
                return object.flatMap(PropertyListValue.init(object:)).map(NativeValue.bytes(of:))
            }
        }

        private static func configuration(in defaults: UserDefaults) -> [String: Any] {
            defaults.object(forKey: configurationName) as? [String: Any] ?? [:]
        }

        func observe(_ name: String, _ signal: @escaping @Sendable () -> Void) { defaults.observe(name, signal) }

        /// Also for the managed app configuration, which arrives while the app is in the background, without a notification.
        func observeOthers(_ signal: @escaping @Sendable () -> Void) -> AnyObject & Sendable {
            NotificationObservation(of: [UserDefaults.didChangeNotification] + Self.activations, from: nil) { _ in
                signal()
            }
        }

        /// The notifications that UIKit, AppKit and WatchKit post when the app becomes active. Named as strings, so that none of
        /// them is imported.
        private static let activations = ["UI", "NS", "WK"].map {
            Notification.Name("\($0)ApplicationDidBecomeActiveNotification")
        }
    }
#endif
