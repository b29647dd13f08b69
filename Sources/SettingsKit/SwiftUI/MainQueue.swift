#if canImport(Darwin)
    import Foundation
#else
    // Swift's module Dispatch would link its overlay.
    import CDispatch
#endif

/// The queue of the main actor. On Linux it may run on any thread.
enum MainQueue {
    #if canImport(Darwin)
        /// Whether the calling thread runs the main queue.
        static var isCurrent: Bool { Thread.isMainThread }
    #else
        // nonisolated(unsafe): a constant, of which only the address is used.
        private nonisolated(unsafe) static let key: UnsafeMutableRawPointer = {
            let key = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
            dispatch_queue_set_specific(dispatch_get_main_queue(), key, key, nil)
            return key
        }()

        /// Whether the calling thread runs the main queue.
        static var isCurrent: Bool { dispatch_get_specific(key) != nil }
    #endif
}
