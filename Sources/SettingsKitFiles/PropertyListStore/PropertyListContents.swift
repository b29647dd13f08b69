import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of a property-list store in memory: the file's values, changed values, and the journal positions of changes.
///
/// There are three layers, so that neither setting a value nor taking a picture for a new file takes longer with many keys: the
/// changes since the last picture, the changes in it, and all other values. A lookup searches the layers in this order.
/// ``freeze()`` and ``settle(_:through:)`` move changes down.
struct PropertyListContents: Sendable {
    enum Stored: Sendable {
        /// The file's value.
        case native(PropertyListValue)
        /// The bytes that were set, and the replaced value, whose kind (a date, say) is kept if the bytes permit it.
        case bytes(Data, replaced: PropertyListValue?)

        var data: Data {
            switch self {
            case .native(let value): NativeValue.bytes(of: value)
            case .bytes(let data, _): data
            }
        }

        /// The value for the file.
        var value: PropertyListValue {
            switch self {
            case .native(let value): value.writable
            case .bytes(let data, let replaced): NativeValue.value(for: data, resembling: replaced)
            }
        }
    }

    /// A change that the file may lack.
    struct Changed: Sendable {
        /// nil: removed.
        var stored: Stored?
        /// The end of the change in the journal.
        var position: Int64
    }

    private var changed: [String: Changed] = [:]
    /// A number that changes whenever names are added to `changed` or removed from it.
    private var layout = 0
    private(set) var frozen: [String: Changed] = [:]
    /// A number that changes whenever `frozen` or `settled` changes.
    private var lowerLayout = 0
    /// The end of the last change in `frozen`, in the journal.
    private var frozenEnd: Int64 = 0
    private var settled: [String: Stored] = [:]
    /// Members of the file whose keys equal the key of a setting, as Swift strings, but have other Unicode scalars. They stay
    /// unchanged in the file until the setting is removed.
    private var lookalikes: [String: [PropertyListMember]] = [:]
    /// The end of the last change in the journal; 0 if there was none.
    private(set) var lastPosition: Int64 = 0

    /// The approximate size of all names and values: estimated for the file, exact for later additions.
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

    /// Settles a value under a name with the spelling of the contents.
    private mutating func settle(_ stored: Stored?, under name: String) {
        settled[name] = nil
        settled[name] = stored
    }

    // MARK: Reading

    /// Whether nothing is stored. Takes the time of a lookup or two, but linear time if everything was removed: the background
    /// asks after each change.
    var isEmpty: Bool {
        if changed.isEmpty && frozen.isEmpty { return settled.isEmpty }
        return !changed.contains { $0.value.stored != nil }
            && !frozen.contains { name, change in change.stored != nil && changed[name] == nil }
            && !settled.contains { name, _ in frozen[name] == nil && changed[name] == nil }
    }

    /// The names with a stored value. Linear time.
    var names: [String] {
        guard !changed.isEmpty || !frozen.isEmpty else { return Array(settled.keys) }
        var names = settled.keys.filter { frozen[$0] == nil && changed[$0] == nil }
        for (name, change) in frozen where changed[name] == nil && change.stored != nil { names.append(name) }
        for (name, change) in changed where change.stored != nil { names.append(name) }
        return names
    }

    /// The bytes of the stored value under a name.
    func data(named name: String) -> Data? { stored(named: name)?.data }

    /// Whether expectations hold for the stored values.
    func meets(_ expectations: [SettingsStoreBatch.Entry]) -> Bool { expectations.hold { data(named: $0) } }

    /// The stored value under a name, as it is or will be in the file.
    func value(named name: String) -> PropertyListValue? { stored(named: name)?.value }

    private func stored(named name: String) -> Stored? {
        if let change = changed[name] { return change.stored }
        return unchanged(named: name)
    }

    /// The stored value at the time of the last picture.
    private func unchanged(named name: String) -> Stored? {
        if !frozen.isEmpty, let change = frozen[name] { return change.stored }
        return settled[name]
    }

    // MARK: Changing

    /// The value found under a name, for a following change. Not copyable, because copying would take a large part of the time of
    /// a change.
    struct Finding: ~Copyable {
        let name: String
        /// The bytes of the value.
        let data: Data?
        /// ``PropertyListContents/size``.
        let contentsSize: Int
        /// The value, if its kind is to be kept.
        fileprivate let kind: PropertyListValue?
        /// The index in `changed`, valid while that has the same layout. Nil if it is missing.
        fileprivate let index: Dictionary<String, Changed>.Index?
        fileprivate let layout: Int

        static var nothing: Finding {
            Finding(name: "", data: nil, contentsSize: 0, kind: nil, index: nil, layout: -1)
        }

        /// The growth of the contents with other bytes under the name.
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
    /// Equal bytes are also recorded, because the journal contains them: a later noticed edit of the file does not count.
    ///
    /// - Parameter position: The end of the change in the journal.
    /// - Returns: the resulting change; nil if there is none.
    mutating func set(_ data: Data?, named name: String, at position: Int64) -> SettingsStoreChange? {
        let found = find(name)
        if found.data != data { return replace(found, by: data, at: position) }
        put(stored(named: name), at: found, position)
        return nil
    }

    /// Stores other bytes in place of a finding's, or removes it.
    ///
    /// - Parameters:
    ///   - found: The value stored under the name. It may only have moved since it was found.
    ///   - position: The end of the change in the journal.
    /// - Returns: the resulting change.
    mutating func replace(_ found: borrowing Finding, by data: Data?, at position: Int64) -> SettingsStoreChange {
        put(data.map { .bytes($0, replaced: found.kind) }, at: found, position)
        size += found.growth(with: data)
        return SettingsStoreChange(name: found.name, from: found.data, to: data)
    }

    /// Stores a value of the property list under a name, with its type.
    ///
    /// - Returns: the resulting change; nil if the bytes are equal.
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

    /// The size that a name and its value count; 0 without a value.
    static func size(of name: String, _ data: Data?) -> Int { data.map { $0.count + name.utf8.count } ?? 0 }

    /// Sets the size to that of a complete file.
    mutating func measure(_ fileSize: Int) { size = fileSize }

    /// Adopts an edit of the file.
    ///
    /// - Returns: the resulting changes.
    mutating func adopt(_ edit: PropertyListEdit) -> [SettingsStoreChange] {
        var changes: [SettingsStoreChange] = []
        let (counting, others) = edit.members.dividedByName()
        func settleEdited(_ name: String, _ stored: Stored?) {
            let (old, new) = (data(named: name), stored?.data)
            size += Self.size(of: name, new) - Self.size(of: name, old)
            changed[name] = nil
            layout += 1
            frozen[name] = nil
            lowerLayout += 1
            settle(stored, under: name)
            if !lookalikes.isEmpty || !others.isEmpty { lookalikes[name] = others[name] }
            if old != new { changes.append(.init(name: name, from: old, to: new)) }
        }
        for name in edit.removed { settleEdited(name, nil) }
        for member in counting { settleEdited(member.key, .native(member.value)) }
        return changes
    }

    /// The stored value, if its bytes do not show its kind.
    private static func kindToKeep(of stored: Stored?) -> PropertyListValue? {
        let value: PropertyListValue? =
            switch stored {
            case .native, .bytes(_, .some): stored?.value
            case .bytes(_, nil), nil: nil
            }
        return value.flatMap { $0.hasKindOfItsOwn ? $0 : nil }
    }

    // MARK: Comparing

    /// The difference between the file's members and the contents, except for names with a change that the file lacks. Linear
    /// time.
    ///
    /// - Parameter folded: The journal position up to which the file had every change before its edit.
    func edit(by members: [PropertyListMember], folded: Int64) -> PropertyListEdit {
        var edit = PropertyListEdit()
        var missing = Set(names)
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

    /// Whether the last change of a name is in the journal, and not in the file yet.
    func isUnfolded(_ name: String, folded: Int64) -> Bool {
        if let change = changed[name] { return change.position > folded }
        if let change = frozen[name] { return change.position > folded }
        return false
    }

    /// The changes that turn `self` into `other`.
    private func differences(to other: PropertyListContents) -> [SettingsStoreChange] {
        Set(names).union(other.names).compactMap { name in
            let (old, new) = (data(named: name), other.data(named: name))
            return old == new ? nil : SettingsStoreChange(name: name, from: old, to: new)
        }
    }

    /// Replaces all values by others.
    ///
    /// - Returns: the resulting changes.
    mutating func replace(by other: PropertyListContents) -> [SettingsStoreChange] {
        let (differences, layout) = (differences(to: other), lowerLayout + 1)
        self = other
        lowerLayout = layout
        return differences
    }

    // MARK: The file

    /// Takes a picture. Later changes do not copy it.
    mutating func freeze() -> PropertyListPicture {
        if frozen.isEmpty {
            swap(&changed, &frozen)
        } else {
            // The file for the last picture was not written.
            frozen.merge(changed) { $1 }
            changed = [:]
        }
        layout += 1
        lowerLayout += 1
        frozenEnd = lastPosition
        return PropertyListPicture(settled: settled, changed: frozen, lookalikes: lookalikes)
    }

    /// The changes that the file lacks, in no order: bytes and removals, and the members whose bytes do not show their types.
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
        // Usually the file has all of them.
        if frozenEnd > folded {
            for (name, change) in frozen where change.position > folded && changed[name] == nil { add(name, change) }
        }
        for (name, change) in changed where change.position > folded { add(name, change) }
        return (changes, members)
    }

    // MARK: Settling

    /// The layers below the changes since the last picture.
    struct LowerLayers: Sendable {
        fileprivate var frozen: [String: Changed]
        fileprivate var settled: [String: Stored]
        fileprivate let layout: Int

        /// Moves the frozen changes that the file has into the settled layer. Linear time: no lock should be held.
        mutating func settle(through folded: Int64) {
            for (name, change) in frozen where change.position <= folded { settled[name] = change.stored }
            frozen = frozen.filter { $0.value.position > folded }
        }
    }

    /// Returns the lower layers, to settle changes in them. Changes that others have folded are frozen first.
    mutating func lowerLayers() -> LowerLayers {
        if frozen.isEmpty { _ = freeze() }
        return LowerLayers(frozen: frozen, settled: settled, layout: lowerLayout)
    }

    /// Replaces the lower layers, unless they have changed since they were returned.
    ///
    /// - Returns: the layers that are not used any more, to be released without a lock.
    mutating func replaceLower(by layers: LowerLayers) -> LowerLayers {
        guard layers.layout == lowerLayout else { return layers }
        defer { (frozen, settled) = (layers.frozen, layers.settled) }
        lowerLayout += 1
        return LowerLayers(frozen: frozen, settled: settled, layout: layers.layout)
    }
}

// The description contains the problem and its place, never a value.
extension PropertyListError: ValueFreeError {}
