import Synchronization

/// Reads a setting or a record for a stream of its values: once for each commit that the stream has not seen.
final class ValueReader<Value: Sendable>: Sendable {
    private let sequence: @Sendable () -> UInt64
    private let read: @Sendable () -> Value
    /// Changed by one task at a time, to which the iterator belongs.
    private let seen = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - sequence: Returns the number of the last commit.
    ///   - read: Returns the current value.
    init(sequence: @escaping @Sendable () -> UInt64, read: @escaping @Sendable () -> Value) {
        self.sequence = sequence
        self.read = read
    }

    /// Returns the value when a signal announces one that was not read yet.
    func next(from owner: StreamOwner<UInt64>) async -> Value? {
        while let signal = await owner.next() {
            // The value that is read now includes every commit up to this number.
            let sequence = sequence()
            if signal <= seen.load(ordering: .relaxed) { continue }
            seen.store(sequence, ordering: .relaxed)
            return read()
        }
        return nil
    }
}
