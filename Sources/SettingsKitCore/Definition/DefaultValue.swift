import Synchronization

extension SettingsService {
    /// The default of a setting: a constant, or a closure that computes it.
    ///
    /// ```swift
    /// static let firstUse = Setting<Date>("firstUse", in: .defaults, default: .computed { Date() })
    /// static let installation = Setting<UUID>("installation", in: .defaults, default: .once { UUID() })
    /// ```
    ///
    /// Closures are called from any thread, without a lock. They should be quick and must not read their own setting. If several
    /// threads read at the same time, a closure may be called more than once.
    public struct DefaultValue<Value: Sendable>: Sendable {
        enum Source {
            case constant(Value)
            case computed(@Sendable () -> Value)
            case once(OnceValue<Value>)
        }

        let source: Source

        private init(_ source: Source) { self.source = source }

        /// Returns a default that is always the same value. Passing the value itself has the same effect.
        public static func constant(_ value: Value) -> DefaultValue { DefaultValue(.constant(value)) }

        /// Returns a default that is computed each time it is needed: at each read while nothing is stored.
        ///
        /// Use it for defaults that depend on the time or on other settings.
        public static func computed(_ compute: @escaping @Sendable () -> Value) -> DefaultValue {
            DefaultValue(.computed(compute))
        }

        /// Returns a default that is computed once, and stored at the first read.
        ///
        /// This is the one exception to the rule that a default is never written. If no value is stored, the first `get` stores the
        /// computed one, unless another process has stored one meanwhile, which is then the value. After a reset, the next `get`
        /// computes another value. If the value cannot be stored, that is diagnosed, and the value is kept in memory.
        public static func once(_ compute: @escaping @Sendable () -> Value) -> DefaultValue {
            DefaultValue(.once(OnceValue(compute)))
        }

        /// Whether the default is always the same value, so that it may be cached.
        var isConstant: Bool {
            if case .constant = source { true } else { false }
        }

        var value: Value {
            if !isConstant { HeldLocks.requireNone(before: "a default") }
            return switch source {
            case .constant(let value): value
            case .computed(let compute): compute()
            case .once(let once): once.value
            }
        }
    }
}

/// A value that is computed once, and kept until it is stored.
final class OnceValue<Value: Sendable>: Sendable {
    private let compute: @Sendable () -> Value
    private let kept = Mutex<Value?>(nil, .leaf)

    init(_ compute: @escaping @Sendable () -> Value) { self.compute = compute }

    /// The value, which is computed if there is none.
    var value: Value {
        if let value = kept.withLock({ $0 }) { return value }
        let computed = compute()
        return kept.withLock { value in
            let first = value ?? computed
            value = first
            return first
        }
    }

    /// Discards the value, because it is stored.
    func forget() { _ = kept.withLock { $0.take() } }
}
