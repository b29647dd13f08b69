import Foundation

/// Waits until a condition holds, without keeping a thread; for what happens in the background.
///
/// - Returns: false if it did not hold in time.
func eventually(within seconds: Double = 180, _ condition: () async throws -> Bool) async throws -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    var looks = 0
    while looks < 100 || Date() < deadline {
        if try await condition() { return true }
        looks += 1
        try await Task.sleep(for: .milliseconds(5))
    }
    return false
}
