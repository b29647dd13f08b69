#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What became of one setting last, as replicas tell each other.
struct SharedEntry: Sendable, Hashable {
    var stamp: Stamp
    /// Nil: it was removed. That is remembered, or a replica that has not heard of it would bring the value back.
    var value: Data?
    /// What a newer version has written besides, as the text of JSON members. Kept until somebody sets the setting here.
    var unknownFields: [UInt8] = []

    var isTombstone: Bool { value == nil }
}

extension SharedEntry: Comparable {
    /// Whether `other` wins over `one`. By the stamps; should two entries have the same one all the same, because replicas
    /// once had the same ID, a value wins over a removal, and the one that is later in the order of bytes over the other:
    /// whatever it is, everybody decides alike.
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
    /// The first byte. Nothing that is JSON begins with it: the property list has entries as data.
    private static let version: UInt8 = 1
    private static let fixedSize = 18

    private struct Flags: OptionSet {
        var rawValue: UInt8

        static let tombstone = Flags(rawValue: 1)
        static let unknownFields = Flags(rawValue: 2)
    }

    /// How the local state has the entry: the version 1, flags (1: a removal, 2: unknown fields), the instant, the replica,
    /// the length of the unknown fields and they themselves if there are any, the value.
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
            bytes.storeBytes(of: stamp.instant.number.littleEndian, toByteOffset: 2, as: UInt64.self)
            bytes.storeBytes(of: stamp.replica.number.littleEndian, toByteOffset: 10, as: UInt64.self)
            UnsafeMutableRawBufferPointer(rebasing: bytes[Self.fixedSize...]).copyBytes(from: fields)
            value.withUnsafeBytes { value in
                UnsafeMutableRawBufferPointer(rebasing: bytes[(Self.fixedSize + fields.count)...]).copyMemory(
                    from: value)
            }
            return Data(bytes)
        }
    }

    /// - Returns: nil for what is no entry: the local state is damaged, or somebody has edited it.
    init?(_ bytes: Data) {
        let parts: (Stamp, Flags, [UInt8], Data)? = bytes.withUnsafeBytes { buffer in
            var input = JournalInput(buffer)
            guard input.byte() == Self.version, let flags = input.byte().map(Flags.init), flags.rawValue < 4,
                let instant: UInt64 = input.littleEndian(), let replica: UInt64 = input.littleEndian()
            else { return nil }
            var unknownFields: [UInt8] = []
            if flags.contains(.unknownFields) {
                guard let length = input.length(), let fields = input.data(count: length) else { return nil }
                unknownFields = Array(fields)
            }
            let stamp = Stamp(instant: Instant(number: instant), replica: ReplicaID(replica))
            return (stamp, flags, unknownFields, input.remainder())
        }
        guard let (stamp, flags, unknownFields, value) = parts else { return nil }
        self.stamp = stamp
        self.unknownFields = unknownFields
        self.value = flags.contains(.tombstone) ? nil : value
    }

    /// Only the stamp, for who wants no more.
    static func stamp(in bytes: Data) -> Stamp? {
        guard bytes.count >= fixedSize, bytes.first == version else { return nil }
        return bytes.withUnsafeBytes { bytes in
            Stamp(
                instant: Instant(number: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))),
                replica: ReplicaID(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt64.self))))
        }
    }

    /// Whether an entry's bytes, nil where there is none, say that this is the value, nil for none.
    static func isValue(_ value: Data?, in bytes: Data?) -> Bool {
        guard let value, let bytes, bytes.count == fixedSize + value.count, hasOnlyValue(bytes) else {
            return bytes.flatMap { Self.value(in: $0) } == value
        }
        return bytes.dropFirst(fixedSize) == value
    }

    /// Whether there is a value and nothing else behind the stamp.
    private static func hasOnlyValue(_ bytes: Data) -> Bool {
        bytes.withUnsafeBytes { $0.count >= fixedSize && $0[0] == version && $0[1] == 0 }
    }

    /// Only the value, for who wants no more.
    static func value(in bytes: Data) -> Data? {
        guard hasOnlyValue(bytes) else { return SharedEntry(bytes)?.value }
        return bytes.withUnsafeBytes { Data($0[fixedSize...]) }
    }
}
