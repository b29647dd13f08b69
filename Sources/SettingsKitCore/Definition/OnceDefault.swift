import Synchronization

extension SettingsService {
    /// A default that is computed once, and stored at the first read.
    ///
    /// ```swift
    /// static let installation = Setting<UUID>("installation", in: .defaults, default: .once { UUID() })
    /// ```
    ///
    /// This is the one exception to the rule that a default is never written: if nothing is stored, the first `get` stores
    /// the computed value, unless another process has stored one meanwhile, which then counts. After a reset, the next `get`
    /// computes another value. Where the value cannot be stored, that is diagnosed, and the value is kept in memory.
    public struct OnceDefault<Value: Sendable>: Sendable {
        private final class Memory: Sendable {
            let value = Mutex<Value?>(nil, .leaf)
        }

        private let compute: @Sendable () -> Value
        private let memory = Memory()

        private init(_ compute: @escaping @Sendable () -> Value) { self.compute = compute }

        /// Computes the default with a closure, which is called from any thread, without a lock. If several threads read at
        /// once, it may be called more than once, and one of the results counts.
        public static func once(_ compute: @escaping @Sendable () -> Value) -> OnceDefault { OnceDefault(compute) }

        /// The value; computed if there is none.
        var value: Value {
            if let value = memory.value.withLock({ $0 }) { return value }
            HeldLocks.requireNone(before: "a default")
            let computed = compute()
            return memory.value.withLock { value in
                let kept = value ?? computed
                value = kept
                return kept
            }
        }

        /// Forgets the value, because it is stored.
        func forget() {
            let old = memory.value.withLock { value in
                defer { value = nil }
                return value
            }
            withExtendedLifetime(old) {}
        }
    }
}
