import SettingsCommandLine
import SettingsKit

/// A setting that two stores, or a store and a file, hold differently.
struct StoredDifference: SettingChange, Equatable, Sendable {
    let name: String
    /// The bytes before, or in the first store; nil for none.
    let old: Data?
    /// The bytes after, or in the second store; nil for none.
    let new: Data?
    /// Both values as native values of property lists; nil unless both sets come from property lists.
    var oldValue, newValue: PropertyListValue?

    var isRemoval: Bool { new == nil }

    /// Returns the differences between two sets of settings, sorted by name. Linear time, apart from the sorting.
    ///
    /// If both come from property lists, values that differ only in their types are a difference.
    ///
    /// - Parameter isMerging: Whether to ignore settings that only the old set has.
    static func list(from old: StoredSettings, to new: StoredSettings, isMerging: Bool = false) -> [StoredDifference] {
        let areTyped = old.types != nil && new.types != nil
        var list = new.values.compactMap { name, data -> StoredDifference? in
            let isSame = old.values[name] == data && (!areTyped || old.types?[name] == new.types?[name])
            if isSame { return nil }
            var difference = StoredDifference(name: name, old: old.values[name], new: data)
            if areTyped { (difference.oldValue, difference.newValue) = (old.native(name), new.native(name)) }
            return difference
        }
        if !isMerging {
            list += old.values.compactMap { name, data in
                new.values[name] == nil ? StoredDifference(name: name, old: data, new: nil) : nil
            }
        }
        return list.sorted { $0.name < $1.name }
    }

    // MARK: Making them

    /// Stores the new values, as one batch.
    static func make(_ differences: ArraySlice<StoredDifference>, in store: any SettingsStore) throws {
        let isTyped = differences.allSatisfy { $0.new == nil || $0.newValue != nil }
        if isTyped, let store = store as? PropertyListStore {
            return try store.set(
                differences.compactMap { difference in
                    difference.newValue.map { PropertyListMember(key: difference.name, value: $0) }
                }, removing: differences.filter { $0.new == nil }.map(\.name))
        }
        let writes = differences.map { SettingsStoreBatch.Entry(key: OpenedStore.key($0.name), data: $0.new) }
        _ = try store.apply(SettingsStoreBatch(writes: writes))
    }

    // MARK: Output

    /// One line for a terminal: the old value and the new one.
    ///
    /// - Parameter columns: The width of the line.
    func line(columns: Int) -> String {
        let sign = old == nil ? "+" : new == nil ? "-" : "~"
        let name = TextLayout.escaped(name)
        let room = max(columns - TextLayout.columns(name) - 4, 20)
        func shown(_ data: Data, _ room: Int) -> String { UntypedValue(data).summary(columns: room) }
        return switch (old, new) {
        case (let old?, let new?) where old == new:
            if let types = changedTypes {
                "\(sign) \(name): \(shown(old, room / 2 - 12)) (\(types.old)) → \(shown(new, room / 2 - 12)) (\(types.new))"
            } else {
                "\(sign) \(name): \(shown(old, room - 22)) (types inside differ)"
            }
        case (let old?, let new?): "\(sign) \(name): \(shown(old, room / 2 - 2)) → \(shown(new, room / 2 - 2))"
        case (let data?, nil), (nil, let data?): "\(sign) \(name): \(shown(data, room))"
        case (nil, nil): "\(sign) \(name)"
        }
    }

    /// The names of both types in a property list, if they differ.
    private var changedTypes: (old: String, new: String)? {
        guard let old = oldValue?.typeName, let new = newValue?.typeName, old != new else { return nil }
        return (old, new)
    }

    /// An object with the name, the kind of the change, and both values.
    func json() -> JSONText {
        var members: [(name: String, value: JSONText)] = [
            ("name", .string(name)), ("change", .string(old == nil ? "added" : new == nil ? "removed" : "changed")),
        ]
        if let old { members.append(("old", UntypedValue(old).jsonText)) }
        if let new { members.append(("new", UntypedValue(new).jsonText)) }
        if let types = changedTypes { members += [("oldType", .string(types.old)), ("newType", .string(types.new))] }
        return .object(members)
    }
}

extension Array where Element == StoredDifference {
    /// Prints the differences: a line for each, or an array in JSON.
    func print(_ streams: CommandStreams, asJSON: Bool) throws {
        if asJSON { return try streams.print(JSONText.array(map { $0.json() }).indented + "\n") }
        try streams.print(lines: self) { $0.line(columns: streams.width) + "\n" }
    }
}
