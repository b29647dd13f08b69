import Foundation

/// An observation of notifications, which ends with this object.
package final class NotificationObservation: Sendable {
    // nonisolated(unsafe): a constant, which only a notification center uses, and that may be used by any thread.
    private nonisolated(unsafe) let tokens: [any NSObjectProtocol]

    /// - Parameter object: The object whose notifications are observed. Nil for all.
    package init(
        of names: [Notification.Name], from object: AnyObject?, _ body: @escaping @Sendable (Notification) -> Void
    ) {
        tokens = names.map {
            NotificationCenter.default.addObserver(forName: $0, object: object, queue: nil, using: body)
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
