#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Finds the records in the bytes of a journal, whatever else may be among them.
package enum JournalScanner {
    /// Finds the records in `bytes`, which are those of a journal from `offset` to its end.
    ///
    /// Where a record should begin and none does that is whole, the search goes on at the next marker behind it.
    /// Nothing is taken for a record but what has both checks right for the offset it stands at.
    ///
    /// - Parameter journal: The id of the journal, whose records alone count; nil if its header is lost: then those count
    ///   that have the id of the first.
    /// - Complexity: Linear in the number of bytes, whatever they are. Only the records' own values are copied.
    package static func scan(_ bytes: UnsafeRawBufferPointer, from offset: UInt64, of journal: UInt64?) -> JournalScan {
        var scan = JournalScan(end: offset)
        var frames = JournalFrames(bytes: bytes, offset: offset, journal: journal)
        var end = 0
        var place = 0
        search: while place < bytes.count {
            switch frames.frame(at: place) {
            case .record(let record, let next):
                if place > end { scan.damaged.append(frames.range(end..<place)) }
                scan.records.append(JournalEntry(record: record, end: offset + UInt64(next)))
                (place, end) = (next, next)
            case .meaningless(let next):
                place = next
            case .nothing:
                guard let next = marker(in: bytes, from: place + 1) else { break search }
                place = next
            }
            // The body of a record with a wrong bit is read once to find that out, and once more in search of what is
            // behind the record. Bodies with wrong checks that together are longer than all of the bytes must overlap:
            // somebody has made headers that each claim what follows them, to have it read over and over. The factor
            // leaves room for several such layers, and keeps the time linear.
            if frames.wrongBytes / 8 > bytes.count {
                scan.end += UInt64(end)
                scan.rest = .damaged
                scan.journal = frames.journal
                return scan
            }
        }
        scan.end += UInt64(end)
        scan.rest = frames.rest(from: end)
        scan.journal = frames.journal
        return scan
    }

    /// Where the next byte is that a marker begins with.
    private static func marker(in bytes: UnsafeRawBufferPointer, from place: Int) -> Int? {
        guard place < bytes.count, let start = bytes.baseAddress,
            let found = memchr(start + place, Int32(JournalFrame.firstByte), bytes.count - place)
        else { return nil }
        return UnsafeRawPointer(found) - start
    }
}
