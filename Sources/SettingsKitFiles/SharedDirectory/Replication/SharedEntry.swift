import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The last change of one setting, as replicas exchange it.
struct SharedEntry: Sendable, Hashable {
    var stamp: Stamp
    /// The value; nil for a removal. Removals are remembered, because a replica that has not heard one would bring the value
    /// back.
    var value: Data?
    /// Members that a newer version has added, as JSON text. They are kept until the setting is changed here.
    var unknownFields: [UInt8] = []

    var isTombstone: Bool { value == nil }
}

extension SharedEntry: Comparable {
    /// Whether `other` wins over `one`. The stamps decide.
    ///
    /// Two entries have the same stamp only if two replicas once had the same ID. Then a value wins over a removal, and
    /// of two values the one whose bytes sort later, so that all replicas decide alike.
    static func < (one: SharedEntry, other: SharedEntry) -> Bool {
        if one.stamp != other.stamp { return one.stamp < other.stamp }
        switch (one.value, other.value) {
        case (nil, nil): return one.unknownFields.lexicographicallyPrecedes(other.unknownFields)
        case (nil, .some): return true
        case (.some, nil): return false
        case (let value?, let otherValue?) where value == otherValue:
            return one.unknownFields.lexicographicallyPrecedes(other.unknownFields)
        case (let value?, let otherValue?): return value.lexicographicallyPrecedes(otherValue)
        }
    }
}

/// An entry and the name of its setting.
struct SharedRecord: Sendable, Hashable {
    var name: String
    var entry: SharedEntry
}

// MARK: In the local state

extension SharedEntry {
    /// The first byte. JSON cannot begin with it, so the property list stores entries as data.
    private static let version: UInt8 = 1
    private static let fixedSize = 22

    private struct Flags: OptionSet {
        var rawValue: UInt8

        static let tombstone = Flags(rawValue: 1)
        static let unknownFields = Flags(rawValue: 2)
    }

    /// The form in the local state: the version 1, flags (1: a removal, 2: unknown fields), the instant, the replica,
    /// the epoch, the length and the bytes of the unknown fields if there are any, and the value.
    var bytes: Data {
        var flags: Flags = []
        if isTombstone { flags.insert(.tombstone) }
        var fields: [UInt8] = []
        if !unknownFields.isEmpty {
            flags.insert(.unknownFields)
            fields.appendLength(unknownFields.count)
            fields += unknownFields
        }
        let value = value ?? Data()
        let size = Self.fixedSize + fields.count + value.count
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { bytes in
            bytes[0] = Self.version
            bytes[1] = flags.rawValue
            bytes.storeBytes(of: stamp.moment.instant.number.littleEndian, toByteOffset: 2, as: UInt64.self)
            bytes.storeBytes(of: stamp.replica.number.littleEndian, toByteOffset: 10, as: UInt64.self)
            bytes.storeBytes(of: stamp.moment.epoch.littleEndian, toByteOffset: 18, as: UInt32.self)
            UnsafeMutableRawBufferPointer(rebasing: bytes[Self.fixedSize...]).copyBytes(from: fields)
            value.withUnsafeBytes { value in
                UnsafeMutableRawBufferPointer(rebasing: bytes[(Self.fixedSize + fields.count)...]).copyMemory(
                    from: value)
            }
            return Data(copying: UnsafeRawBufferPointer(bytes))
        }
    }

    /// - Returns: nil if the bytes are not an entry, because the local state is damaged or was edited.
    init?(_ bytes: Data) {
        let parts: (Stamp, Flags, [UInt8], Data)? = bytes.withUnsafeBytes { buffer in
            var input = JournalInput(buffer)
            guard input.byte() == Self.version, let flags = input.byte().map(Flags.init), flags.rawValue < 4,
                let instant: UInt64 = input.littleEndian(), let replica: UInt64 = input.littleEndian(),
                let epoch: UInt32 = input.littleEndian(), epoch <= HybridMoment.lastEpoch
            else { return nil }
            var unknownFields: [UInt8] = []
            if flags.contains(.unknownFields) {
                guard let length = input.length(), let fields = input.data(count: length) else { return nil }
                unknownFields = Array(fields)
            }
            let stamp = Stamp(HybridMoment(epoch: epoch, instant: Instant(number: instant)), by: ReplicaID(replica))
            return (stamp, flags, unknownFields, input.remainder())
        }
        guard let (stamp, flags, unknownFields, value) = parts else { return nil }
        self.stamp = stamp
        self.unknownFields = unknownFields
        self.value = flags.contains(.tombstone) ? nil : value
    }

    /// Returns only the stamp of an entry's bytes.
    static func stamp(in bytes: Data) -> Stamp? { bytes.withUnsafeBytes { stamp(in: $0) } }

    private static func stamp(in bytes: UnsafeRawBufferPointer) -> Stamp? {
        guard bytes.count >= fixedSize, bytes[0] == version else { return nil }
        let instant = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
        let replica = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt64.self))
        let epoch = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 18, as: UInt32.self))
        guard epoch <= HybridMoment.lastEpoch else { return nil }
        return Stamp(HybridMoment(epoch: epoch, instant: Instant(number: instant)), by: ReplicaID(replica))
    }

    /// Returns only the value of an entry's bytes.
    static func value(in bytes: Data) -> Data? {
        bytes.withUnsafeBytes { plainValue(in: $0).map { Data(copying: $0) } } ?? SharedEntry(bytes)?.value
    }

    /// Returns only the stamp and the value of an entry's bytes.
    static func stampAndValue(in bytes: Data) -> (stamp: Stamp, value: Data?)? {
        let found: (stamp: Stamp, value: Data?)? = bytes.withUnsafeBytes { buffer in
            stamp(in: buffer).map { ($0, plainValue(in: buffer).map { Data(copying: $0) }) }
        }
        guard let found else { return nil }
        return found.value == nil ? (found.stamp, SharedEntry(bytes)?.value) : found
    }

    /// Whether an entry's bytes (nil without an entry) contain this value (nil for none).
    static func isValue(_ value: Data?, in bytes: Data?) -> Bool {
        guard let bytes else { return value == nil }
        let isPlainValue: Bool? = bytes.withUnsafeBytes { buffer in
            guard let plain = plainValue(in: buffer) else { return nil }
            return value?.withUnsafeBytes { $0.count == plain.count && $0.elementsEqual(plain) } ?? false
        }
        return isPlainValue ?? (SharedEntry(bytes)?.value == value)
    }

    /// The value, if the bytes after the stamp contain nothing else.
    private static func plainValue(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes.count >= fixedSize, bytes[0] == version, bytes[1] == 0,
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 18, as: UInt32.self)) <= HybridMoment.lastEpoch
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[fixedSize...])
    }
}

extension PropertyListContents {
    /// Returns the entry of a setting.
    func sharedEntry(named name: String) -> SharedEntry? { data(named: name).flatMap { SharedEntry($0) } }

    /// The names and bytes of all entries. Linear time.
    var sharedEntries: [(name: String, bytes: Data)] {
        names.compactMap { name in
            guard SettingsService.StorageKey.isValid(name), let bytes = data(named: name),
                SharedEntry.stamp(in: bytes) != nil
            else { return nil }
            return (name, bytes)
        }
    }

    /// All records, including removals. Linear time.
    var sharedRecords: [SharedRecord] {
        sharedEntries.compactMap { name, bytes in
            SharedEntry(bytes).map { SharedRecord(name: name, entry: $0) }
        }
    }
}

extension Data {
    /// A copy of bytes in memory. `init(_:)` takes any sequence, and ten times as long for a few bytes.
    fileprivate init(copying bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress { self.init(bytes: base, count: bytes.count) } else { self.init() }
    }
}
