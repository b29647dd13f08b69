import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of a property-list store in memory: values from the file, values that were set, and the journal
/// positions of changes.
///
/// There are three layers, so that neither setting a value nor taking a picture for a new file takes longer with many
/// keys: the changes since the last picture, the changes in it, and all other values. A lookup searches the layers in
/// this order. ``freeze()`` and ``settle(_:through:)`` move changes down.
struct PropertyListContents: Sendable {
    fileprivate enum Stored: Sendable {
        /// The value that the file has.
        case native(PropertyListValue)
        /// The bytes that were set, and the value they replaced: its kind (a date, say) is kept if the bytes allow it.
        case bytes(Data, replaced: PropertyListValue?)

        var data: Data {
            switch self {
            case .native(let value): NativeValue.bytes(of: value)
            case .bytes(let data, _): data
            }
        }

        /// As the file is to have it.
        var value: PropertyListValue {
            switch self {
            case .native(let value): value.writable
            case .bytes(let data, let replaced): NativeValue.value(for: data, resembling: replaced)
            }
        }
    }

    /// A change that the file may not have yet.
    struct Changed: Sendable {
        /// nil: removed.
        fileprivate var stored: Stored?
        /// Where in the journal the change ends.
        fileprivate var position: Int64
    }

    private var changed: [String: Changed] = [:]
    /// A number that is another one after names were added to `changed` or removed from it.
    private var layout = 0
    private(set) var frozen: [String: Changed] = [:]
    private var settled: [String: Stored] = [:]
    /// Members of the file whose keys Swift finds equal to the key of a setting, with other Unicode scalars. They stay in the
    /// file as they are until the setting is removed.
    private var lookalikes: [String: [PropertyListMember]] = [:]
    /// What is in force in this process and not in the journal yet, because another process keeps that locked.
    var pending = PendingValues()
    /// Where in the journal the last change ends; 0 if there was none.
    private(set) var lastPosition: Int64 = 0

    /// The bytes of all names and values, roughly: those of the file, and exactly what was added since.
    private(set) var size: Int

    /// - Parameter size: The size of the file that has the members.
    init(_ members: [PropertyListMember] = [], size: Int = 0) {
        self.size = size
        settled.reserveCapacity(members.count)
        for member in members { settled[member.key] = .native(member.value) }
        guard settled.count < members.count else { return }
        let (counting, others) = members.dividedByName()
        lookalikes = others
        for member in counting where others[member.key] != nil { settle(.native(member.value), under: member.key) }
    }

    /// Settles a value under a name as it is spelled here.
    private mutating func settle(_ stored: Stored?, under name: String) {
        settled[name] = nil
        settled[name] = stored
    }

    // MARK: Reading

    /// Whether nothing is in force. The time of a look-up or two, but linear where everything was removed: the background asks
    /// after each change.
    var isEmpty: Bool {
        if changed.isEmpty && frozen.isEmpty { return settled.isEmpty }
        return pending.namesOfValues.isEmpty
            && !changed.contains { $0.value.stored != nil && pending[$0.key] == nil }
            && !frozen.contains { name, change in
                change.stored != nil && changed[name] == nil && pending[name] == nil
            }
            && !settled.contains { name, _ in
                frozen[name] == nil && changed[name] == nil && pending[name] == nil
            }
    }

    /// The names under which something is in force. Linear time.
    var names: [String] {
        if pending.isEmpty { return journaledNames }
        return journaledNames.filter { pending[$0] == nil }
            + pending.namesOfValues
    }

    /// The names under which something is stored. Linear time.
    private var journaledNames: [String] {
        guard !changed.isEmpty || !frozen.isEmpty else { return Array(settled.keys) }
        var names = settled.keys.filter { frozen[$0] == nil && changed[$0] == nil }
        for (name, change) in frozen where changed[name] == nil && change.stored != nil { names.append(name) }
        for (name, change) in changed where change.stored != nil { names.append(name) }
        return names
    }

    /// The bytes that stand for the value in force under a name.
    func data(named name: String) -> Data? {
        if let data = pending[name] { return data }
        return stored(named: name)?.data
    }

    /// The value in force under a name, as the file has it or will have it.
    func value(named name: String) -> PropertyListValue? {
        if let data = pending[name] { return data.map { NativeValue.value(for: $0, resembling: nil) } }
        return stored(named: name)?.value
    }

    /// The bytes that stand for the stored value under a name.
    func journaledData(named name: String) -> Data? { stored(named: name)?.data }

    private func stored(named name: String) -> Stored? {
        if let change = changed[name] { return change.stored }
        return unchanged(named: name)
    }

    /// What was stored when the last picture was taken.
    private func unchanged(named name: String) -> Stored? {
        if !frozen.isEmpty, let change = frozen[name] { return change.stored }
        return settled[name]
    }

    // MARK: Changing

    /// What was found under a name, for a change that follows. Not copyable, because copies are a large part of the time
    /// that a change takes.
    struct Finding: ~Copyable {
        let name: String
        /// The bytes that stand for the value.
        let data: Data?
        /// ``PropertyListContents/size``.
        let contentsSize: Int
        /// The value, if its kind is to be kept.
        fileprivate let kind: PropertyListValue?
        /// Where it is in `changed`, as long as that has the same layout. Nil if it is not there.
        fileprivate let index: Dictionary<String, Changed>.Index?
        fileprivate let layout: Int

        static var nothing: Finding {
            Finding(name: "", data: nil, contentsSize: 0, kind: nil, index: nil, layout: -1)
        }

        /// How much larger the contents become with other bytes under the name.
        borrowing func growth(with new: Data?) -> Int {
            if let data, let new { return new.count - data.count }
            return PropertyListContents.size(of: name, new) - PropertyListContents.size(of: name, data)
        }
    }

    func find(_ name: String) -> Finding {
        let index = changed.index(forKey: name)
        let stored = if let index { changed.values[index].stored } else { unchanged(named: name) }
        return Finding(
            name: name, data: stored?.data, contentsSize: size, kind: Self.kindToKeep(of: stored), index: index,
            layout: layout)
    }

    /// Stores bytes under a name, or removes it.
    ///
    /// Also if they are stored already, the journal now says so: an edit of the file that is noticed later does not count.
    ///
    /// - Parameter position: Where in the journal the change ends.
    /// - Returns: what that changed; nil if it was nothing.
    mutating func set(_ data: Data?, named name: String, at position: Int64) -> SettingsStoreChange? {
        let found = find(name)
        if found.data != data { return replace(found, by: data, at: position) }
        put(stored(named: name), at: found, position)
        return nil
    }

    /// Stores other bytes in the place of those that were found under a name, or removes it.
    ///
    /// - Parameters:
    ///   - found: What is stored under the name. It may only have moved since it was found.
    ///   - position: Where in the journal the change ends.
    /// - Returns: what that changed.
    mutating func replace(_ found: borrowing Finding, by data: Data?, at position: Int64) -> SettingsStoreChange {
        put(data.map { .bytes($0, replaced: found.kind) }, at: found, position)
        size += found.growth(with: data)
        return SettingsStoreChange(name: found.name, from: found.data, to: data)
    }

    /// Stores a value of the property list under a name, with its type.
    ///
    /// - Returns: what that changed; nil if the bytes are the same.
    mutating func set(_ value: PropertyListValue, named name: String, at position: Int64) -> SettingsStoreChange? {
        let found = find(name)
        let data = NativeValue.bytes(of: value)
        put(.native(value), at: found, position)
        size += found.growth(with: data)
        return found.data == data ? nil : SettingsStoreChange(name: name, from: found.data, to: data)
    }

    private mutating func put(_ stored: Stored?, at found: borrowing Finding, _ position: Int64) {
        let change = Changed(stored: stored, position: position)
        lastPosition = position
        if stored == nil, !lookalikes.isEmpty { lookalikes[found.name] = nil }
        if let index = found.index, found.layout == layout {
            changed.values[index] = change
        } else {
            changed[found.name] = change
            layout += 1
        }
    }

    /// What a name and its value count; 0 if there is no value.
    static func size(of name: String, _ data: Data?) -> Int { data.map { $0.count + name.utf8.count } ?? 0 }

    /// Notes how large the file is that has everything.
    mutating func measure(_ fileSize: Int) { size = fileSize }

    /// Takes over an edit that was made in the file.
    ///
    /// - Returns: what that changed.
    mutating func adopt(_ edit: PropertyListEdit) -> [SettingsStoreChange] {
        var changes: [SettingsStoreChange] = []
        let (counting, others) = edit.members.dividedByName()
        func take(_ name: String, _ stored: Stored?) {
            let (old, new) = (journaledData(named: name), stored?.data)
            size += Self.size(of: name, new) - Self.size(of: name, old)
            changed[name] = nil
            layout += 1
            frozen[name] = nil
            settle(stored, under: name)
            if !lookalikes.isEmpty || !others.isEmpty { lookalikes[name] = others[name] }
            if old != new { changes.append(.init(name: name, from: old, to: new)) }
        }
        for name in edit.removed { take(name, nil) }
        for member in counting { take(member.key, .native(member.value)) }
        return changes
    }

    /// The value that was stored, if it is one of which the bytes alone do not tell the kind.
    private static func kindToKeep(of stored: Stored?) -> PropertyListValue? {
        let value: PropertyListValue? =
            switch stored {
            case .native, .bytes(_, .some): stored?.value
            case .bytes(_, nil), nil: nil
            }
        return value.flatMap { $0.hasKindOfItsOwn ? $0 : nil }
    }

    // MARK: Comparing

    /// How the file's members differ from what is held here, except for names with a change that the file does not have
    /// yet. Linear time.
    ///
    /// - Parameter folded: The journal position up to which the file had every change before it was edited.
    func edit(by members: [PropertyListMember], folded: Int64) -> PropertyListEdit {
        var edit = PropertyListEdit()
        var missing = Set(journaledNames)
        let (counting, others) = members.dividedByName()
        for member in counting {
            missing.remove(member.key)
            if isUnfolded(member.key, folded: folded) { continue }
            let beside = others[member.key]
            if stored(named: member.key)?.value != member.value || lookalikes[member.key] != beside
                || !isSpelled(member.key)
            {
                edit.members += (beside ?? []) + [member]
            }
        }
        edit.removed = missing.filter { !isUnfolded($0, folded: folded) }
        return edit
    }

    /// Whether the file's key of this name has the same Unicode scalars, as far as is known.
    private func isSpelled(_ name: String) -> Bool {
        let known = settled.spelling(of: name) ?? frozen.spelling(of: name) ?? changed.spelling(of: name)
        return known?.isIdentical(to: name) ?? true
    }

    /// Whether the last change of a name is in the journal, or pending, and not in the file yet.
    func isUnfolded(_ name: String, folded: Int64) -> Bool {
        if pending[name] != nil { return true }
        if let change = changed[name] { return change.position > folded }
        if let change = frozen[name] { return change.position > folded }
        return false
    }

    /// What must be done to `self` to make it `other`.
    func differences(to other: PropertyListContents) -> [SettingsStoreChange] {
        Set(journaledNames).union(other.journaledNames).compactMap { name in
            let (old, new) = (journaledData(named: name), other.journaledData(named: name))
            return old == new ? nil : SettingsStoreChange(name: name, from: old, to: new)
        }
    }

    // MARK: The file

    /// Takes a picture of everything. What is changed afterwards does not have it copied.
    mutating func freeze() -> PropertyListPicture {
        layout += 1
        if frozen.isEmpty {
            swap(&changed, &frozen)
        } else {
            // The file that the last picture was taken for did not come about.
            frozen.merge(changed) { $1 }
            changed = [:]
        }
        return PropertyListPicture(settled: settled, changed: frozen, lookalikes: lookalikes)
    }

    /// The changes that the file does not have, in no order: bytes and removals, and the members whose types bytes do not
    /// show.
    func unfoldedChanges(folded: Int64) -> (changes: [JournalChange], members: [PropertyListMember]) {
        var changes: [JournalChange] = []
        var members: [PropertyListMember] = []
        func add(_ name: String, _ change: Changed) {
            if case .native(let value) = change.stored, value.hasKindOfItsOwn, value.writable == value {
                members.append(PropertyListMember(key: name, value: value))
            } else {
                changes.append(JournalChange(name: name, data: change.stored?.data))
            }
        }
        for (name, change) in frozen where change.position > folded && changed[name] == nil { add(name, change) }
        for (name, change) in changed where change.position > folded { add(name, change) }
        return (changes, members)
    }

    /// Moves frozen changes that the file has into the settled layer. Pictures must have been released, or everything
    /// is copied.
    mutating func settle(_ names: ArraySlice<String>, through folded: Int64) {
        for name in names {
            guard let change = frozen[name], change.position <= folded else { continue }
            settled[name] = change.stored
            frozen[name] = nil
        }
        if frozen.isEmpty { frozen = [:] }
    }
}

/// What an edit from outside has changed in the file.
struct PropertyListEdit: Sendable {
    var removed: [String] = []
    var members: [PropertyListMember] = []

    var isEmpty: Bool { removed.isEmpty && members.isEmpty }
}

/// What a store held at one moment.
struct PropertyListPicture: Sendable {
    fileprivate let settled: [String: PropertyListContents.Stored]
    fileprivate let changed: [String: PropertyListContents.Changed]
    fileprivate let lookalikes: [String: [PropertyListMember]]

    /// The file's members, sorted by name; of equal names, the one that counts is the last.
    func members() -> [PropertyListMember] {
        var members = lookalikes.values.flatMap { $0 }
        members.reserveCapacity(settled.count + changed.count + members.count)
        for (name, stored) in settled where changed.isEmpty || changed[name] == nil {
            members.append(PropertyListMember(key: name, value: stored.value))
        }
        for (name, change) in changed {
            if let stored = change.stored {
                members.append(.init(key: settled.spelling(of: name) ?? name, value: stored.value))
            }
        }
        // The order of equal names stays.
        return members.sorted { $0.key < $1.key }
    }

    /// How the file's members will differ from those of the file that has everything up to `position`.
    func edit(since position: Int64) -> PropertyListEdit {
        var edit = PropertyListEdit()
        for (name, change) in changed where change.position > position {
            if let stored = change.stored {
                edit.members += lookalikes[name] ?? []
                edit.members.append(PropertyListMember(key: settled.spelling(of: name) ?? name, value: stored.value))
            } else {
                edit.removed.append(name)
            }
        }
        return edit
    }
}

// Says what is wrong with a file and where, never what stands in it.
extension PropertyListError: ValueFreeError {}
