#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The changes that wait for a store that cannot be opened yet, in the order in which they were made.
///
/// Consecutive writes are one entry with the newest bytes of each name, so that setting a value many times costs no memory.
/// The recovery takes the first entry, carries it out, and then removes it or puts it back; changes made meanwhile are never
/// merged into it.
struct PendingChanges {
    enum Entry {
        case writes([String: SettingsStoreBatch.Entry])
        case operation(PendingOperation)
    }

    /// How many entries may wait: operations keep closures, which cannot be merged.
    static let limit = 10_000

    private var entries: [Entry] = []
    private var isFirstTaken = false

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    /// Whether another operation would be too many.
    var isFull: Bool { entries.count >= Self.limit }

    mutating func keep(_ write: SettingsStoreBatch.Entry) {
        let last = entries.count - 1
        if last >= (isFirstTaken ? 1 : 0), case .writes(var writes) = entries[last] {
            // Out of the array first, or the dictionary would be copied.
            entries[last] = .writes([:])
            writes[write.key.name] = write
            entries[last] = .writes(writes)
        } else {
            entries.append(.writes([write.key.name: write]))
        }
    }

    mutating func keep(_ operation: PendingOperation) {
        entries.append(.operation(operation))
    }

    /// The oldest entry, which stays until ``finish()``.
    mutating func take() -> Entry? {
        isFirstTaken = !entries.isEmpty
        return entries.first
    }

    /// Removes the entry that was taken: it is carried out.
    mutating func finish() {
        entries.removeFirst()
        isFirstTaken = false
    }

    /// Leaves the entry that was taken, if there is one, where it is: it could not be carried out.
    mutating func putBack() {
        isFirstTaken = false
    }
}
