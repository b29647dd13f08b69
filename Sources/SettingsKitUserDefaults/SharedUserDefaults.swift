import Foundation
import Synchronization

/// Lets all threads use a `UserDefaults`.
///
/// No platform declares it `Sendable`. On Apple platforms any thread may use it, as Apple's documentation says. No lock is
/// held while it is used, because it posts notifications while it is written, whose observers may use it again. On Linux it
/// posts nothing, and one thread at a time uses it.
struct SharedUserDefaults: ~Copyable, Sendable {
    #if canImport(Darwin)
        // nonisolated(unsafe): a constant, whose object any thread may use: "The UserDefaults class is thread-safe."
        private nonisolated(unsafe) let defaults: UserDefaults

        init(_ defaults: sending UserDefaults) { self.defaults = defaults }

        func use<R: Sendable>(_ body: (inout sending UserDefaults) -> R) -> R {
            // nonisolated(unsafe): the same object, as above; the variable itself is of this call alone.
            nonisolated(unsafe) var defaults = defaults
            return body(&defaults)
        }

        /// Calls `body` after each change through this object.
        func onChange(_ body: @escaping @Sendable () -> Void) -> NotificationObservation {
            NotificationObservation(of: UserDefaults.didChangeNotification, from: defaults) { _ in body() }
        }
    #else
        private let defaults: Mutex<UserDefaults>

        init(_ defaults: sending UserDefaults) { self.defaults = Mutex(defaults) }

        func use<R: Sendable>(_ body: (inout sending UserDefaults) -> R) -> R {
            defaults.withLock { body(&$0) }
        }

        /// Calls `body` if a program posts the notification: `UserDefaults` does not.
        func onChange(_ body: @escaping @Sendable () -> Void) -> NotificationObservation {
            NotificationObservation(of: UserDefaults.didChangeNotification, from: nil) { _ in body() }
        }
    #endif
}

/// An observation of a notification, which ends with this object.
package final class NotificationObservation: Sendable {
    private let token: Mutex<any NSObjectProtocol>

    /// - Parameter object: The object whose notifications are observed. Nil for all.
    package init(
        of name: Notification.Name, from object: sending AnyObject?,
        _ body: @escaping @Sendable (Notification) -> Void
    ) {
        token = Mutex(
            NotificationCenter.default.addObserver(forName: name, object: object, queue: nil, using: body))
    }

    deinit { token.withLock { NotificationCenter.default.removeObserver($0) } }
}
