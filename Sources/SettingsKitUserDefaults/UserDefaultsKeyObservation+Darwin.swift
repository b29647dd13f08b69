#if canImport(Darwin)
    import Dispatch
    import Foundation
    import Synchronization

    /// An observation of values in `UserDefaults`, which ends with this object: of changes made by this process, through any
    /// instance, and by other processes.
    final class UserDefaultsKeyObservation: Sendable {
        // nonisolated(unsafe): a constant, whose object any thread may use: "The UserDefaults class is thread-safe."
        private nonisolated(unsafe) let defaults: UserDefaults
        private let observer = Observer()

        init(of defaults: UserDefaults) { self.defaults = defaults }

        deinit {
            for name in observer.names { defaults.removeObserver(observer, forKeyPath: name) }
            // Another thread may be calling the observer, and key-value observing does not retain its observers.
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60)) { [observer] in
                withExtendedLifetime(observer) {}
            }
        }

        /// Returns whether changes of a name can be observed. In a key path, a full stop ends the name of a property, and an @
        /// begins that of an operator.
        static func canObserve(_ name: String) -> Bool {
            !name.isEmpty && !name.contains(".") && !name.hasPrefix("@")
        }

        /// Calls `signal` after each change of a name, on a thread that holds no lock, if the name can be observed.
        func observe(_ name: String, _ signal: @escaping @Sendable () -> Void) {
            guard Self.canObserve(name), observer.add(name, signal) else { return }
            defaults.addObserver(observer, forKeyPath: name, options: [], context: nil)
        }

        private final class Observer: NSObject, Sendable {
            private let signals = Mutex<[String: @Sendable () -> Void]>([:], .leaf)
            /// The system may hold locks while it calls an observer.
            private let queue = DispatchQueue(label: "SettingsKit.UserDefaults")
            var names: [String] { signals.withLock { Array($0.keys) } }

            /// - Returns: False if the name is already observed.
            func add(_ name: String, _ signal: @escaping @Sendable () -> Void) -> Bool {
                signals.withLock { $0.updateValue(signal, forKey: name) == nil }
            }

            override func observeValue(
                forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {
                guard let keyPath, let signal = signals.withLock({ $0[keyPath] }) else { return }
                queue.async(execute: signal)
            }
        }
    }
#endif
