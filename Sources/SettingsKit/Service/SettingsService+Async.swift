import SettingsKitCore
import SettingsKitPlatform

extension SettingsService {
    /// Asynchronous operations. While they wait for a disk or another process, they block neither a thread of Swift's pool nor the
    /// main thread.
    ///
    /// ```swift
    /// try await settings.async.save(.volume, to: 0.8)
    /// try await settings.async.synchronize()
    /// ```
    ///
    /// The synchronous functions keep their names, also where `await` is possible: the compiler would prefer an asynchronous
    /// overload of `save` there, and existing calls would no longer compile.
    public var async: Async { Async(service: self) }

    /// Asynchronous forms of the functions of a service that write; see ``SettingsService/async``.
    ///
    /// Each runs on a thread outside of Swift's pool. A task that is cancelled before its operation begins throws
    /// `CancellationError`; an operation that has begun is completed. Operations that are awaited one after the other run in this
    /// order.
    public struct Async: Sendable {
        let service: SettingsService

        /// Stores a value, as ``SettingsService/save(_:to:)`` does.
        ///
        /// - Throws: as ``SettingsService/save(_:to:)`` does; `CancellationError`.
        public func save<T>(_ setting: Setting<T>, to value: T) async throws {
            try await run { [service] in try service.save(setting, to: value) }
        }

        /// Performs several reads and writes together, as ``SettingsService/save(_:)`` does.
        ///
        /// - Throws: the error of `body`, or ``SettingsError``; nothing is changed then. `CancellationError`.
        /// - Returns: the result of the run that was applied.
        @discardableResult
        public func save<R: Sendable>(
            _ body: @escaping @Sendable (inout Transaction) throws -> R
        ) async throws -> R {
            try await run { [service] in try service.save(body) }
        }

        /// Performs several reads and writes together, as ``SettingsService/transaction(_:)`` does.
        ///
        /// - Returns: the result of the run that was applied; nil if nothing was changed because of a problem, which is diagnosed,
        ///   or because the task was cancelled.
        @discardableResult
        public func transaction<R: Sendable>(_ body: @escaping @Sendable (inout Transaction) -> R) async -> R? {
            // Only a cancelled task has an error.
            try? await run { [service] in service.transaction(body) }
        }

        /// Changes a value in place, as ``SettingsService/update(_:_:)`` does.
        ///
        /// - Throws: the error of `body`; the old value stays.
        /// - Returns: the result of the run that was applied; nil if the old value stays because of a problem, which is diagnosed,
        ///   or because the task was cancelled.
        @discardableResult
        public func update<T, R: Sendable, E: Error>(
            _ setting: Setting<T>, _ body: @escaping @Sendable (inout T) throws(E) -> R
        ) async throws(E) -> R? {
            // Only a cancelled task has an error here; the closure's error is in the result.
            let outcome = try? await run { [service] in
                Result { () throws(E) -> R? in try service.update(setting, body) }
            }
            return try outcome?.get()
        }

        /// Waits until every change made before the call survives a power failure, in every scope.
        ///
        /// - Throws: as ``SettingsService/synchronize()`` does; `CancellationError`.
        public func synchronize() async throws {
            try await run { [service] in try service.synchronize() }
        }

        /// Waits until every change made before the call survives a power failure and other programs can read it in the stores'
        /// files, in every scope.
        ///
        /// - Throws: as ``SettingsService/bringUpToDate()`` does; `CancellationError`.
        public func bringUpToDate() async throws {
            try await run { [service] in try service.bringUpToDate() }
        }

        private func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                BackgroundQueue.run { continuation.resume(with: Result(catching: work)) }
            }
        }
    }
}
