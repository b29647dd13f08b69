import Foundation
import Testing

/// Waits until a condition holds, without keeping a thread; for what happens in the background.
///
/// It polls at least a hundred times: on a busy machine, seconds pass between one time and the next.
///
/// - Returns: false if the condition did not hold in time.
package func eventually(within seconds: Double = 60, _ condition: () async throws -> Bool) async throws -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    var polls = 0
    while polls < 100 || Date() < deadline {
        if try await condition() { return true }
        polls += 1
        try await Task.sleep(for: .milliseconds(5))
    }
    return false
}

/// Returns when a condition holds, and ends the test if it does not hold in time.
package func until(_ condition: () -> Bool) async throws {
    try #require(try await eventually { condition() }, "waited in vain")
}
