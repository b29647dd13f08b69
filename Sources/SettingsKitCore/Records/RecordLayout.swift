import Synchronization

/// The properties of a record's type: their names as fields, their places in memory, and what their attributes declare.
///
/// A nested record is no field: its fields are the outer record's, such as `http.timeout`. Every other structure is one value.
final class RecordLayout: Sendable {
    /// A property, or one of a nested record.
    struct Property: Sendable {
        /// The name of the field, or the first part of the names of a nested record's fields.
        var name: String
        /// The type of the value, without the wrapper.
        let type: Any.Type
        /// The place in memory; nil if it is not known.
        var offset: Int?
        /// The number of bytes of the value.
        let size: Int
        /// The place of the wrapper's mark, which each assignment changes; nil without a wrapper.
        var markOffset: Int?
        let attribute: (any AnyFieldAttribute)?
        let isRecord: Bool
    }

    /// Each type's layout is made once. A leaf: nothing is called inside it.
    private static let known = Mutex<[ObjectIdentifier: RecordLayout]>([:], .leaf)

    /// The properties, each nested record before its own.
    let properties: [Property]
    /// The name of each property as a field, by its own name. That is also the coding key of a property with an attribute.
    let names: [String: String]
    /// The layouts of nested records, by the name of the property.
    private let inner: [String: RecordLayout]

    static func of<Record: SettingsRecord>(_ type: Record.Type) -> RecordLayout {
        let identifier = ObjectIdentifier(type)
        if let layout = known.withLock({ $0[identifier] }) { return layout }
        HeldLocks.requireNone(before: "a record's type")
        let made = RecordLayout(of: Record.empty)
        return known.withLock { known in
            let first = known[identifier] ?? made
            known[identifier] = first
            return first
        }
    }

    private init<Record: SettingsRecord>(of empty: Record) {
        precondition(!(Record.self is AnyClass), "\(Record.self) must be a structure: an object has no earlier value.")
        precondition(!(empty is any CustomReflectable), "\(Record.self) must show its properties to Mirror.")
        var (properties, names, inner, end) = ([Property](), [String: String](), [String: RecordLayout](), 0)
        for child in Mirror(reflecting: empty).children {
            let (label, wrapper) = (child.label ?? "", child.value as? any FieldWrapper)
            let property: String = wrapper == nil ? label : String(label.dropFirst())
            let (size, alignment) = Self.memory(of: child.value)
            let offset = (end + alignment - 1) / alignment * alignment
            end = offset + size
            precondition(wrapper == nil || wrapper?.attribute != nil, "\(Record.self).empty must not be decoded.")
            let name = wrapper?.attribute?.name ?? property
            let valueType = wrapper?.valueType ?? type(of: child.value)
            let layout = (valueType as? any SettingsRecord.Type).map { RecordLayout.of($0) }
            Self.check(wrapper?.attribute, of: "\(Record.self).\(property)", isRecord: layout != nil)
            (names[property], inner[property]) = (name, layout)
            properties.append(
                Property(
                    name: name, type: valueType, offset: offset,
                    size: Self.memory(of: wrapper?.anyValue ?? child.value).size,
                    markOffset: wrapper.map { offset + $0.markOffset }, attribute: wrapper?.attribute,
                    isRecord: layout != nil))
            properties += layout?.properties.map { $0.inside(name, at: offset) } ?? []
        }
        // A property that has another size than its value has an unknown place, and so have those after it.
        let isKnown = end == MemoryLayout<Record>.size
        self.properties = isKnown ? properties : properties.map(\.withoutPlace)
        (self.names, self.inner) = (names, inner)
    }

    private static func memory(of value: Any) -> (size: Int, alignment: Int) {
        func memory<Value>(_ value: Value) -> (size: Int, alignment: Int) {
            (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
        }
        return _openExistential(value, do: memory)
    }

    private static func check(_ attribute: (any AnyFieldAttribute)?, of property: String, isRecord: Bool) {
        guard let attribute else { return }
        precondition(
            attribute.name.map(SettingsService.StorageKey.isValid) ?? true,
            "The name of the field \(property) must not be empty or contain NUL.")
        precondition(
            !isRecord || !attribute.hasValidation && attribute.help == nil && !attribute.isSecret,
            """
            The attribute of \(property) can only have a name, because the fields of a nested record are separate settings.
            """)
    }

    // MARK: Coding keys

    /// Returns the name of the field with a coding key.
    func name(ofKey key: String) -> String { names[key] ?? key }

    /// Returns the layout of the record that has a coding key; nil if it is one value.
    ///
    /// - Parameter type: The type of the value; nil if it is not known.
    func inner(ofKey key: String, _ type: Any.Type?) -> RecordLayout? {
        if names[key] != nil { return inner[key] }
        return (type as? any SettingsRecord.Type).map { RecordLayout.of($0) }
    }

    /// Returns whether a property is a secret field.
    func isSecret(_ property: String) -> Bool {
        properties.contains { $0.name == name(ofKey: property) && $0.attribute?.isSecret ?? false }
    }

    /// Returns the coding keys of fields, and of the nested records that have them.
    func keys(of fields: [String]) -> [String] {
        let records = inner.keys.filter { key in fields.contains { $0.hasPrefix("\(name(ofKey: key)).") } }
        let own = fields.filter { field in !records.contains { field.hasPrefix("\(name(ofKey: $0)).") } }
        return own.map { field in names.first { $0.value == field }?.key ?? field } + records
    }

    /// The names of the nested records.
    var recordNames: [String] { inner.keys.map(name) }

    // MARK: Key paths

    /// Returns the property to which a key path leads; nil for a part of a field, and for a computed property.
    func property<Record: SettingsRecord, Value>(of keyPath: WritableKeyPath<Record, Value>) -> Property? {
        if let offset = MemoryLayout<Record>.offset(of: keyPath) {
            return properties.first { $0.offset == offset && $0.type == Value.self }
        }
        // A property with a wrapper has no offset. Assigning to it changes the wrapper's mark.
        HeldLocks.requireNone(before: "a key path")
        let before = Record.empty
        var after = before
        let value = after[keyPath: keyPath]
        after[keyPath: keyPath] = value
        let changed = withUnsafeBytes(of: before) { before in
            withUnsafeBytes(of: after) { after in
                properties.filter { property in
                    guard let mark = property.markOffset else { return false }
                    return before.loadUnaligned(fromByteOffset: mark, as: UInt.self)
                        != after.loadUnaligned(fromByteOffset: mark, as: UInt.self)
                }
            }
        }
        // Assigning to a field of a nested record assigns to the record, too. A computed property may assign to several fields.
        let assigned = changed.filter { outer in !changed.contains { $0.name != outer.name && outer.contains($0) } }
        return assigned.count == 1 && assigned[0].type == Value.self ? assigned[0] : nil
    }
}

extension RecordLayout {
    /// Returns the stored property to which a key path leads, if that is certain for a value that is to be set.
    ///
    /// Assigning to a computed property may change one wrapped property, too, or several. So the key path must read and write that
    /// one, also where all others of the type have the value, and change no other one. A value that the empty record has proves
    /// nothing.
    ///
    /// - Parameter isCertain: Whether nil is returned then.
    func property<Record: SettingsRecord, Value>(
        of keyPath: WritableKeyPath<Record, Value>, settingIt value: Value, isCertain: Bool
    ) -> Property? {
        guard let property = property(of: keyPath), property.markOffset != nil else {
            return self.property(of: keyPath)
        }
        let empty = Record.empty
        if Self.areIdentical(empty[keyPath: keyPath], value) { return isCertain ? nil : property }
        var (read, written) = (empty, empty)
        for other in properties where other.type == Value.self { Self.set(value, other, of: &read) }
        written[keyPath: keyPath] = value
        let isWritten = Self.value(of: property, in: written).map { Self.areIdentical($0, value) } ?? false
        let isOnlyOne = properties.allSatisfy { $0.contains(property) || $0.isSame(in: empty, written) }
        return isWritten && isOnlyOne && Self.areIdentical(read[keyPath: keyPath], value) ? property : nil
    }

    private static func areIdentical<Value>(_ one: Value, _ other: Value) -> Bool {
        withUnsafeBytes(of: one) { one in withUnsafeBytes(of: other) { one.elementsEqual($0) } }
    }

    /// Sets a property of the same type in a record's memory. A wrapper begins with its value.
    private static func set<Record, Value>(_ value: Value, _ property: Property, of record: inout Record) {
        guard let offset = property.offset else { return }
        withUnsafeMutableBytes(of: &record) { bytes in
            bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee = value
        }
    }

    private static func value<Record, Value>(of property: Property, in record: Record) -> Value? {
        guard let offset = property.offset else { return nil }
        return withUnsafeBytes(of: record) { bytes in
            bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
        }
    }
}

extension RecordLayout.Property {
    /// Returns whether a property is this one, or one of this nested record.
    fileprivate func contains(_ other: Self) -> Bool {
        other.name == name || isRecord && other.name.hasPrefix(name + ".")
    }

    /// Returns whether the property has the same bytes in two records, and the same mark. The fields of a nested record have their
    /// own bytes.
    fileprivate func isSame<Record>(in one: Record, _ other: Record) -> Bool {
        withUnsafeBytes(of: one) { one in
            withUnsafeBytes(of: other) { other in
                guard let offset else { return false }
                let value = offset..<(offset + (isRecord ? 0 : size))
                let mark = markOffset.map { $0..<($0 + MemoryLayout<UInt>.size) } ?? 0..<0
                return one[value].elementsEqual(other[value]) && one[mark].elementsEqual(other[mark])
            }
        }
    }

    /// The property of a nested record.
    fileprivate func inside(_ outerName: String, at outerOffset: Int) -> Self {
        var property = self
        property.name = "\(outerName).\(name)"
        property.offset = offset.map { $0 + outerOffset }
        property.markOffset = markOffset.map { $0 + outerOffset }
        return property
    }

    fileprivate var withoutPlace: Self {
        var property = self
        (property.offset, property.markOffset) = (nil, nil)
        return property
    }
}
