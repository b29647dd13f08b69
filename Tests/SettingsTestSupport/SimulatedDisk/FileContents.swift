/// The bytes of a file: as processes read them, and as they are on the medium.
///
/// The two differ by the unsynchronized changes. Reading sees them. When the power fails, each of them may or may not have
/// reached the medium.
struct FileContents: Sendable {
    private enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case truncate(size: Int)
    }

    /// The unit that the medium writes completely or not at all.
    static let sectorSize = 512

    /// The bytes that processes read.
    private(set) var bytes: [UInt8] = []
    /// The bytes that certainly survive a power failure.
    private var durable: [UInt8] = []
    private var changes: [Change] = []

    mutating func write(_ new: [UInt8], at offset: Int) {
        Self.put(new[...], at: offset, in: &bytes)
        changes.append(.write(offset: offset, bytes: new))
    }

    mutating func truncate(to size: Int) {
        Self.resize(&bytes, to: size)
        changes.append(.truncate(size: size))
    }

    /// Makes the changes since the last synchronization durable, and only those: changes that a failed synchronization lost leave
    /// a gap of old bytes or zeros.
    mutating func synchronize() {
        for change in changes { Self.apply(change, to: &durable) }
        changes = []
    }

    /// The effect of a failed synchronization: the changes count as written although they were not, so that no later
    /// synchronization writes them. Reading still sees them.
    mutating func loseChanges() { changes = [] }

    /// Decides which changes have reached the medium, each sector of a write separately.
    ///
    /// If a sector has not, the file may still have become longer, with zeros in its place: the size of a file can
    /// reach the medium before its bytes do.
    mutating func failPower(using generator: inout SeededGenerator) {
        guard !changes.isEmpty else {
            bytes = durable
            return
        }
        let odds = SurvivalOdds(using: &generator)
        let growsAhead = Bool.random(using: &generator)
        for part in changes.flatMap(Self.parts) {
            if odds.survives(using: &generator) {
                Self.apply(part, to: &durable)
            } else if growsAhead, case .write(let offset, let bytes) = part, durable.count < offset + bytes.count,
                Bool.random(using: &generator)
            {
                Self.resize(&durable, to: offset + bytes.count)
            }
        }
        changes = []
        bytes = durable
    }

    /// The contents that a power failure can leave: each choice of ``SurvivingChanges`` among the sectors of the writes and the
    /// truncations, and each of them with zeros up to the present size.
    func afterPowerFailure() -> [FileContents] {
        if changes.isEmpty { return [Self(durable)] }
        let parts = changes.flatMap(Self.parts)
        var found: Set<[UInt8]> = []
        var list: [FileContents] = []
        for survives in SurvivingChanges.choices(among: parts.count) {
            var bytes = durable
            for (index, part) in parts.enumerated() where survives(index) { Self.apply(part, to: &bytes) }
            var longer = bytes
            if bytes.count < self.bytes.count { Self.resize(&longer, to: self.bytes.count) }
            for bytes in [bytes, longer] where found.insert(bytes).inserted { list.append(Self(bytes)) }
        }
        return list
    }

    init() {}

    private init(_ bytes: [UInt8]) { (self.bytes, durable) = (bytes, bytes) }

    /// The parts of a change that the medium makes separately.
    private static func parts(of change: Change) -> [Change] {
        guard case .write(let offset, let bytes) = change else { return [change] }
        var parts: [Change] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + sectorSize - (offset + start) % sectorSize)
            parts.append(.write(offset: offset + start, bytes: [UInt8](bytes[start..<end])))
            start = end
        }
        return parts
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8]) {
        switch change {
        case .write(let offset, let new): put(new[...], at: offset, in: &bytes)
        case .truncate(let size): resize(&bytes, to: size)
        }
    }

    private static func put(_ new: ArraySlice<UInt8>, at offset: Int, in bytes: inout [UInt8]) {
        if bytes.count < offset { resize(&bytes, to: offset) }
        bytes.replaceSubrange(offset..<min(bytes.count, offset + new.count), with: new)
    }

    private static func resize(_ bytes: inout [UInt8], to size: Int) {
        if size < bytes.count {
            bytes.removeSubrange(size...)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
    }
}

/// The probability that a change reached the medium before the power failed.
///
/// One half for each change would be wrong: of many changes, all or none would hardly ever survive.
struct SurvivalOdds {
    private let quarters: Int

    init(using generator: inout SeededGenerator) { quarters = Int.random(in: 0...4, using: &generator) }

    func survives(using generator: inout SeededGenerator) -> Bool {
        Int.random(in: 0..<4, using: &generator) < quarters
    }
}
