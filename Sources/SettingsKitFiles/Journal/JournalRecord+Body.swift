#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of a record: its kind, then its parts.
extension JournalRecord {
    private enum Kind: UInt8 {
        case changes = 1
        case fold, adoption, end, restore, members
    }

    func appendBody(to bytes: inout [UInt8]) {
        switch self {
        case .changes(let changes):
            bytes.append(Kind.changes.rawValue)
            bytes.appendLength(changes.count)
            for change in changes {
                var name = change.name
                name.withUTF8 { bytes.appendChange(name: $0, data: change.data) }
            }
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
        case .members(let edit):
            bytes.append(Kind.members.rawValue)
            bytes.append(edit)
        case .end:
            bytes.append(Kind.end.rawValue)
        }
    }

    /// Appends the bytes of a record with a single change, without creating the record.
    @inline(__always)
    static func appendBody(
        ofChange name: UnsafeBufferPointer<UInt8>, _ data: Data?, to output: inout some JournalOutput
    ) {
        output.append(Kind.changes.rawValue)
        output.append(1)
        output.appendChange(name: name, data: data)
    }

    /// The size of the bytes of a record with a single change.
    @inline(__always)
    static func bodySize(ofChange nameCount: Int, _ data: Data?) -> Int {
        2 + [UInt8].sizeOfChange(nameCount: nameCount, data: data)
    }

    /// The size of the bytes of a record of `changes`, without creating them. Linear in their number.
    static func bodySize(of changes: [JournalChange]) -> Int {
        changes.reduce(1 + [UInt8].sizeOfLength(changes.count)) { size, change in
            size + [UInt8].sizeOfChange(nameCount: change.name.utf8.count, data: change.data)
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
        case .members:
            return input.edit().map { .members($0) }
        case .end:
            return .end
        }
    }
}
