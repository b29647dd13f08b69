import Foundation
import SettingsKitCore

/// The last values published from `UserDefaults`, which other code also changes. They determine which changes to publish.
///
/// The values are read and written outside of every lock, because that may call foreign code. So they may have changed when the
/// store uses them. Each ``Reading`` therefore has a version: a reading is used only if nothing has happened to the value since. A
/// signal that a value may have changed carries no value. It may arrive late, twice, on any thread, and while the value is written.
struct KnownValues: Sendable {
    private struct Entry {
        var version = 0
        /// Whether a setting of this name holds a URL.
        var isURL = false
        /// The bytes that were last published, or first read. Nil before that.
        var published: Data??
        /// The bytes that are set, but not yet written.
        var unwritten: Data??
        var isBeingWritten = false
        /// Whether other code may have changed the value while bytes were unwritten.
        var isSignaled = false
    }

    /// The beginning of a reading.
    struct Reading: Sendable {
        let name: String
        let isURL: Bool
        fileprivate let version: Int
        /// The bytes that are set, but not yet written: they are the value, and no reading is needed.
        let unwritten: Data??
    }

    /// The outcome of a batch.
    enum Outcome {
        /// A value has changed since it was read.
        case outdated
        /// An expectation does not hold.
        case refused
        case applied(outside: [SettingsStoreChange], own: [SettingsStoreChange])
    }

    private var entries: [String: Entry] = [:]

    /// Returns whether the name was never read.
    func isNew(_ name: String) -> Bool { entries[name] == nil }

    /// The names that were read.
    var names: [String] { Array(entries.keys) }

    /// Records that a setting of this name holds a URL. Earlier readings, made without knowing that, are discarded.
    mutating func recordURL(_ name: String) {
        guard var entry = entries[name], !entry.isURL else { return }
        (entry.isURL, entry.published) = (true, nil)
        entry.version += 1
        entries[name] = entry
    }

    mutating func beginReading(_ name: String) -> Reading {
        let entry = entries[name, default: Entry()]
        entries[name] = entry
        return Reading(name: name, isURL: entry.isURL, version: entry.version, unwritten: entry.unwritten)
    }

    private func isCurrent(_ reading: Reading) -> Bool { entries[reading.name]?.version == reading.version }

    /// Records a reading, if it is the first: listeners have not been notified of a later change that is read.
    ///
    /// - Returns: False if it is outdated.
    mutating func record(_ data: Data?, for reading: Reading) -> Bool {
        guard isCurrent(reading) else { return false }
        if entries[reading.name]?.published == nil { entries[reading.name]?.published = .some(data) }
        return true
    }

    /// Applies a batch, if its expectations hold. Marks the written values as not yet stored.
    ///
    /// - Parameter values: The readings of each of its names.
    mutating func apply(_ batch: SettingsStoreBatch, to values: [(reading: Reading, data: Data?)]) -> Outcome {
        guard values.allSatisfy({ isCurrent($0.reading) }) else { return .outdated }
        var current = Dictionary(uniqueKeysWithValues: values.map { ($0.reading.name, $0.data) })
        for expectation in batch.expectations where current[expectation.key.name] != .some(expectation.data) {
            return .refused
        }
        let outside = values.compactMap { tell($0.reading.name, $0.data) }
        var own: [SettingsStoreChange] = []
        for write in batch.writes {
            let name = write.key.name
            guard let old = current[name], old != write.data else { continue }
            current[name] = .some(write.data)
            entries[name]?.unwritten = .some(write.data)
            entries[name]?.published = .some(write.data)
            entries[name]?.version += 1
            own.append(SettingsStoreChange(name: name, from: old, to: write.data))
        }
        return .applied(outside: outside, own: own)
    }

    // MARK: Signals

    /// Begins to read the values that may have changed. Unwritten ones are read only after they are written.
    mutating func signal(_ names: [String]) -> [Reading] {
        names.compactMap { name in
            guard let entry = entries[name] else { return nil }
            if entry.unwritten != nil {
                entries[name]?.isSignaled = true
                return nil
            }
            // The thread that reads it first reads it again.
            if entry.published == nil { entries[name]?.version += 1 }
            return beginReading(name)
        }
    }

    /// Records readings after a signal.
    ///
    /// - Returns: The changes of other code, and the readings to repeat because they are outdated.
    mutating func notice(_ values: [(reading: Reading, data: Data?)]) -> (
        changes: [SettingsStoreChange], outdated: [Reading]
    ) {
        let changes = values.filter { isCurrent($0.reading) }.compactMap { tell($0.reading.name, $0.data) }
        // A value that was just published is not outdated: its version has changed.
        let published = Set(changes.map(\.name))
        let outdated = values.map(\.reading).filter { !published.contains($0.name) && !isCurrent($0) }
        return (changes, signal(outdated.map(\.name)))
    }

    /// Records the bytes of a value, and returns the change if other code has made one since the last one was published.
    private mutating func tell(_ name: String, _ data: Data?) -> SettingsStoreChange? {
        guard let entry = entries[name], let published = entry.published else {
            entries[name]?.published = .some(data)
            return nil
        }
        if published == data { return nil }
        entries[name]?.published = .some(data)
        entries[name]?.version += 1
        return SettingsStoreChange(name: name, from: published, to: data)
    }

    // MARK: Writing

    /// Returns the bytes to write under a name. Nil if there are none, or while they are being written.
    mutating func beginWriting(_ name: String) -> (data: Data?, isURL: Bool)? {
        guard let entry = entries[name], !entry.isBeingWritten, let unwritten = entry.unwritten else { return nil }
        entries[name]?.isBeingWritten = true
        return (unwritten, entry.isURL)
    }

    /// Records that the bytes are written.
    ///
    /// - Returns: Whether the value must be read again, because other code may have changed it meanwhile.
    mutating func endWriting(_ name: String, _ data: Data?) -> Bool {
        entries[name]?.isBeingWritten = false
        guard let entry = entries[name], entry.unwritten == .some(data) else { return false }
        entries[name]?.unwritten = nil
        entries[name]?.isSignaled = false
        return entry.isSignaled
    }

    /// Returns the names that have a value: the stored ones, with the unwritten changes.
    func names(among stored: [String]) -> [String] {
        let unwritten = entries.compactMapValues(\.unwritten)
        if unwritten.isEmpty { return stored }
        let remaining = stored.filter { unwritten[$0] == nil }
        return remaining + unwritten.filter { $0.value != nil }.map(\.key)
    }
}
