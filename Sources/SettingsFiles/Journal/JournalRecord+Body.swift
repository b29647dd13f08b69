/// The bytes of a record: what kind it is, then its parts.
extension JournalRecord {
    private enum Kind: UInt8 {
        case changes = 1
        case fold, adoption, end
    }

    func appendBody(to bytes: inout [UInt8]) {
        switch self {
        case .changes(let changes):
            bytes.append(Kind.changes.rawValue)
            bytes.appendLength(changes.count)
            for change in changes { bytes.appendChange(name: change.name, data: change.data) }
        case .fold(let offset, let file):
            bytes.append(Kind.fold.rawValue)
            bytes.appendLittleEndian(offset)
            bytes.append(file)
        case .adoption(let file, let removed, let members):
            bytes.append(Kind.adoption.rawValue)
            bytes.append(file)
            bytes.appendLength(removed.count)
            for name in removed { bytes.appendName(name) }
            bytes.appendLength(members.count)
            members.withUnsafeBytes { bytes.append(contentsOf: $0) }
        case .end:
            bytes.append(Kind.end.rawValue)
        }
    }

    /// Appends the bytes of a record of changes with a single one, without making the record.
    @inline(__always)
    static func appendBody(ofChange change: JournalChange, to bytes: inout [UInt8]) {
        bytes.append(Kind.changes.rawValue)
        bytes.append(1)
        bytes.appendChange(name: change.name, data: change.data)
    }

    /// The size of the bytes of a record of `changes`, without making them. Linear in their number.
    static func bodySize(of changes: [JournalChange]) -> Int {
        changes.reduce(1 + [UInt8].sizeOfLength(changes.count)) { size, change in
            let name = change.name.utf8.count
            let data = change.data.map { $0.count + 1 } ?? 0
            return size + [UInt8].sizeOfLength(name) + name + [UInt8].sizeOfLength(data) + max(0, data - 1)
        }
    }

    /// The record whose bytes these are, all of them; nil where they are not what ``appendBody(to:)`` writes.
    ///
    /// Linear time, and memory in proportion to `body`, whatever is in it.
    init?(body: UnsafeRawBufferPointer) {
        var input = JournalInput(body)
        guard let kind = input.byte().flatMap(Kind.init), let record = Self.read(kind, from: &input), input.isAtEnd
        else { return nil }
        self = record
    }

    private static func read(_ kind: Kind, from input: inout JournalInput) -> JournalRecord? {
        switch kind {
        case .changes:
            guard let changes = list(ofItemsOfAtLeast: 2, from: &input, { $0.change() }) else { return nil }
            return .changes(changes)
        case .fold:
            guard let offset: UInt64 = input.littleEndian(), let file = input.fileStatus() else { return nil }
            return .fold(through: offset, file: file)
        case .adoption:
            guard let file = input.fileStatus(),
                let removed = list(ofItemsOfAtLeast: 1, from: &input, { $0.name() }),
                let count = input.length(), let members = input.data(count: count)
            else { return nil }
            return .adoption(file: file, removed: removed, members: members)
        case .end:
            return .end
        }
    }

    /// A count and as many items, none of which is smaller than `size`.
    private static func list<Item>(
        ofItemsOfAtLeast size: Int, from input: inout JournalInput, _ item: (inout JournalInput) -> Item?
    ) -> [Item]? {
        guard let count = input.count(ofItemsOfAtLeast: size) else { return nil }
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count {
            guard let item = item(&input) else { return nil }
            items.append(item)
        }
        return items
    }
}
