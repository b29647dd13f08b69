import Testing

/// Returns when `condition` holds. The last callbacks may run on a thread of their own; there is no event that says that
/// there are no more.
func until(_ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while !condition() {
        try #require(ContinuousClock.now < deadline, "waited in vain")
        await Task.yield()
    }
}
