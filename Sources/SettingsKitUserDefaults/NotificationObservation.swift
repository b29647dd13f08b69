import Foundation
import Synchronization

/// An observation of a notification, which ends with this object.
package final class NotificationObservation: Sendable {
    private let token: Mutex<any NSObjectProtocol>

    /// - Parameter object: The object whose notifications are observed. Nil for all.
    package init(
        of name: Notification.Name, from object: sending AnyObject?,
        _ body: @escaping @Sendable (Notification) -> Void
    ) {
        token = Mutex(
            NotificationCenter.default.addObserver(forName: name, object: object, queue: nil, using: body), .leaf)
    }

    deinit { token.withLock { NotificationCenter.default.removeObserver($0) } }
}
