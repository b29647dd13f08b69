import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a property-list store holds in memory: values as the file has them, values as they were set, and which of the
/// latter the file does not have yet.
struct PropertyListContents: Sendable {
    private enum Stored: Sendable {
        /// As it stands in the file.
        case native(PropertyListValue)
        /// As it was set; with what it replaced, whose kind (a date, say) it keeps where the bytes allow.
        case bytes(Data, replaced: PropertyListValue?)
    }

    private var stored: [String: Stored] = [:]
    /// The names that were changed since the file was written, each with the number of its last change.
    private var unwritten: [String: UInt64] = [:]
    /// The number of the last change.
    private(set) var changeNumber: UInt64 = 0

    var isEmpty: Bool { stored.isEmpty }
    var hasUnwrittenChanges: Bool { !unwritten.isEmpty }
    var names: [String] { Array(stored.keys) }

    init(_ members: [PropertyListMember] = []) {
        stored.reserveCapacity(members.count)
        for member in members { stored[member.key] = .native(member.value) }
    }

    /// The bytes that stand for the value under a name.
    func data(named name: String) -> Data? {
        switch stored[name] {
        case .native(let value): NativeValue.bytes(of: value)
        case .bytes(let data, _): data
        case nil: nil
        }
    }

    /// Stores bytes under a name, or removes it.
    ///
    /// - Returns: what that changed; nil if it was nothing.
    mutating func set(_ data: Data?, named name: String) -> SettingsStoreChange? {
        let old = self.data(named: name)
        guard old != data else { return nil }
        stored[name] = data.map { .bytes($0, replaced: kindToKeep(under: name)) }
        changeNumber += 1
        unwritten[name] = changeNumber
        return SettingsStoreChange(name: name, from: old, to: data)
    }

    /// The value under a name, if it is one of which the bytes alone do not tell the kind.
    private func kindToKeep(under name: String) -> PropertyListValue? {
        let value: PropertyListValue? =
            switch stored[name] {
            case .native(let value): value
            case .bytes(let data, let replaced?): NativeValue.value(for: data, resembling: replaced)
            case .bytes(_, nil), nil: nil
            }
        return value.flatMap { $0.hasKindOfItsOwn ? $0 : nil }
    }

    /// Takes over what somebody else has written into the file, except for what was changed here since.
    ///
    /// - Returns: what that changed.
    mutating func adopt(_ members: [PropertyListMember]) -> [SettingsStoreChange] {
        let others = PropertyListContents(members)
        var changes: [SettingsStoreChange] = []
        for name in Set(stored.keys).union(others.stored.keys) where unwritten[name] == nil {
            let (old, new) = (data(named: name), others.data(named: name))
            stored[name] = others.stored[name]
            if old != new { changes.append(.init(name: name, from: old, to: new)) }
        }
        return changes
    }

    /// The file's members, sorted by name.
    func members() -> [PropertyListMember] {
        stored.sorted { $0.key < $1.key }.map { name, stored in
            switch stored {
            case .native(let value):
                let isWritable = XMLPropertyListWriter.canRepresent(value)
                return PropertyListMember(
                    key: name, value: isWritable ? value : .data(NativeValue.bytes(of: value)))
            case .bytes(let data, let replaced):
                return PropertyListMember(key: name, value: NativeValue.value(for: data, resembling: replaced))
            }
        }
    }

    /// Notes that the file has everything up to and including a change.
    mutating func didWrite(through number: UInt64) {
        unwritten = unwritten.filter { $0.value > number }
    }
}

extension PropertyListValue {
    /// Whether the bytes that stand for the value might as well stand for one of another kind: a date or a real number
    /// (their bytes are those of a number), or data inside a collection (a string).
    fileprivate var hasKindOfItsOwn: Bool {
        switch self {
        case .date, .real: true
        case .boolean, .integer, .unsigned, .string, .data: false
        case .array(let values): values.contains { $0.isData || $0.hasKindOfItsOwn }
        case .dictionary(let members): members.contains { $0.value.isData || $0.value.hasKindOfItsOwn }
        }
    }

    private var isData: Bool {
        if case .data = self { true } else { false }
    }
}

// Says what is wrong with a file and where, never what stands in it.
extension PropertyListError: ValueFreeError {}
