/// The bytes of a record: its kind, then its parts.
extension JournalRecord {
    private enum Kind: UInt8 {
        case changes = 1
        case fold, adoption, end, restore
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
        case .adoption(let file, let edit):
            bytes.append(Kind.adoption.rawValue)
            bytes.append(file)
            bytes.append(edit)
        case .restore(let base, let edit):
            bytes.append(Kind.restore.rawValue)
            bytes.append(base)
            bytes.append(edit)
        case .end:
            bytes.append(Kind.end.rawValue)
        }
    }

    /// Appends the bytes of a record with a single change, without creating the record.
    @inline(__always)
    static func appendBody(ofChange change: JournalChange, to bytes: inout [UInt8]) {
        bytes.append(Kind.changes.rawValue)
        bytes.append(1)
        bytes.appendChange(name: change.name, data: change.data)
    }

    /// The size of the bytes of a record of `changes`, without creating them. Linear in their number.
    static func bodySize(of changes: [JournalChange]) -> Int {
        changes.reduce(1 + [UInt8].sizeOfLength(changes.count)) { size, change in
            let name = change.name.utf8.count
            let data = change.data.map { $0.count + 1 } ?? 0
            return size + [UInt8].sizeOfLength(name) + name + [UInt8].sizeOfLength(data) + max(0, data - 1)
        }
    }

    /// Creates a record from all of its bytes; nil if they are not those that ``appendBody(to:)`` writes.
    ///
    /// Linear time, and memory in proportion to `body`, whatever its contents.
    init?(body: UnsafeRawBufferPointer) {
        var input = JournalInput(body)
        guard let kind = input.byte().flatMap(Kind.init), let record = Self.read(kind, from: &input), input.isAtEnd
        else { return nil }
        self = record
    }

    private static func read(_ kind: Kind, from input: inout JournalInput) -> JournalRecord? {
        switch kind {
        case .changes:
            return input.list(ofItemsOfAtLeast: 2) { $0.change() }.map { .changes($0) }
        case .fold:
            guard let offset = input.offset(), let file = input.fileVersion() else { return nil }
            return .fold(through: offset, file: file)
        case .adoption:
            guard let file = input.fileVersion(), let edit = input.edit() else { return nil }
            return .adoption(file: file, edit)
        case .restore:
            guard let base = input.fileDigest(), let edit = input.edit() else { return nil }
            return .restore(base: base, edit)
        case .end:
            return .end
        }
    }
}
