import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values that are in force in this process but not stored yet, because another process keeps the store locked.
///
/// Until they are stored, they apply after every change of other processes, as if they were set at that moment.
package struct PendingValues: Sendable {
    private var values: [String: Data?] = [:]
    /// The bytes of all names and values together.
    package private(set) var size = 0
    /// The fork count when the first of them was set.
    private var forks = 0

    package init() {}

    package var isEmpty: Bool { values.isEmpty }
    package var count: Int { values.count }

    /// The time that a change waits for another process before it is kept: zero while others are pending.
    ///
    /// - Parameter patience: The time that throwing operations wait.
    package func waiting(_ patience: Duration) -> Duration {
        values.isEmpty ? min(patience, PlatformTimings.longestWaitOfSet) : .zero
    }

    /// Whether the parent of this process set them; it also stores them.
    package var isInherited: Bool { !values.isEmpty && forks != Fork.count }

    /// The names, of values and of removals.
    package var names: some Sequence<String> { values.keys }

    /// The names of values, without those of removals.
    package var namesOfValues: [String] { values.compactMap { $0.value == nil ? nil : $0.key } }

    /// The value that is in force under a name, or nil in place of a removed one. Nil if nothing is pending.
    package subscript(name: String) -> Data?? {
        if values.isEmpty { return nil }
        return values[name]
    }

    /// All of them, as unordered writes.
    package var writes: [SettingsStoreBatch.Entry] {
        values.map { .init(key: .init($0.key, scope: .defaults), data: $0.value) }
    }

    /// Puts writes in force.
    ///
    /// - Parameter stored: Returns the bytes that are stored under a name.
    /// - Returns: the resulting changes, and the keys under which nothing was pending before.
    package mutating func keep(
        _ writes: [SettingsStoreBatch.Entry], over stored: (String) -> Data?
    ) -> (changes: [SettingsStoreChange], new: [SettingsService.StorageKey]) {
        var changes = isInherited ? drop(for: stored) : []
        if values.isEmpty { forks = Fork.count }
        var new: [SettingsService.StorageKey] = []
        for write in writes {
            let name = write.key.name
            let present = values.updateValue(write.data, forKey: name)
            size += Self.size(of: name, write.data) - (present.map { Self.size(of: name, $0) } ?? 0)
            if present == nil { new.append(write.key) }
            let old = present ?? stored(name)
            if old != write.data { changes.append(.init(name: name, from: old, to: write.data)) }
        }
        return (changes, new)
    }

    /// Removes the values that have not changed since an earlier moment.
    ///
    /// - Parameter others: The pending values at that moment.
    package mutating func remove(_ others: PendingValues) {
        for (name, data) in others.values where values[name] == .some(data) { remove(name) }
    }

    /// Removes one value.
    package mutating func remove(_ name: String) {
        guard let data = values.removeValue(forKey: name) else { return }
        size -= Self.size(of: name, data)
    }

    /// Removes all of them, without storing them.
    ///
    /// - Parameter stored: Returns the bytes that are stored under a name.
    /// - Returns: the resulting changes.
    package mutating func drop(for stored: (String) -> Data?) -> [SettingsStoreChange] {
        defer { self = .init() }
        return values.compactMap { name, old in
            let new = stored(name)
            return old == new ? nil : .init(name: name, from: old, to: new)
        }
    }

    /// Returns those changes of stored values that change a value in force.
    package func unmasked(_ changes: [SettingsStoreChange]) -> [SettingsStoreChange] {
        values.isEmpty ? changes : changes.filter { values[$0.name] == nil }
    }

    private static func size(of name: String, _ data: Data?) -> Int { name.utf8.count + (data?.count ?? 0) }
}
