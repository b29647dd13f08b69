#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Finds the records in the bytes of a journal, whatever else they contain.
package enum JournalScanner {
    /// Finds the records in `bytes`, which are those of a journal from `offset` to its end.
    ///
    /// If no complete record begins where one should, the search continues at the next marker. Only bytes whose checks
    /// are correct for their offset count as a record.
    ///
    /// - Parameter journal: The id of the journal, whose records alone count. Nil if its header is lost: the records with the
    ///   first one's id then count.
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
            // The body of a damaged record is read once to find the damage, and again to find the records after it. If bodies
            // with wrong checks are together longer than all bytes, they overlap: an attacker has written headers that claim the
            // same bytes, to have them read repeatedly. The factor leaves room for several such layers, and keeps the time
            // linear.
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

    /// The place of the next byte that can begin a marker.
    private static func marker(in bytes: UnsafeRawBufferPointer, from place: Int) -> Int? {
        guard place < bytes.count, let start = bytes.baseAddress,
            let found = memchr(start + place, Int32(JournalFrame.firstByte), bytes.count - place)
        else { return nil }
        return UnsafeRawPointer(found) - start
    }
}
