#if canImport(Darwin)
    import Foundation
    import Synchronization

    /// An observation of values in `UserDefaults`, which ends with this object: of changes made by this process, through any
    /// instance, and by other processes.
    final class UserDefaultsKeyObservation: NSObject, Sendable {
        // nonisolated(unsafe): a constant, whose object any thread may use: "The UserDefaults class is thread-safe."
        private nonisolated(unsafe) let defaults: UserDefaults
        private let names = Mutex<Set<String>>([])
        private let body: @Sendable () -> Void

        /// - Parameter body: Is called after each change, on the thread that made it.
        init(of defaults: UserDefaults, _ body: @escaping @Sendable () -> Void) {
            self.defaults = defaults
            self.body = body
        }

        deinit {
            for name in names.withLock({ $0 }) { defaults.removeObserver(self, forKeyPath: name) }
        }

        /// Begins to observe a name, unless it is a path to key-value observing.
        func observe(_ name: String) {
            if name.isEmpty || name.contains(".") || name.hasPrefix("@") { return }
            let isNew = names.withLock { $0.insert(name).inserted }
            if isNew { defaults.addObserver(self, forKeyPath: name, options: [], context: nil) }
        }

        override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            body()
        }
    }
#endif
