/// Tells what stands at a place among the bytes of a journal, which begin at `offset` in its file. Places are counted
/// from there.
struct JournalFrames {
    enum Finding {
        /// A whole record, which ends before `next`.
        case record(JournalRecord, next: Int)
        /// A frame with right checks, whose body is no record as they are known here.
        case meaningless(next: Int)
        /// No frame that is whole.
        case nothing
    }

    let bytes: UnsafeRawBufferPointer
    let offset: UInt64
    /// How many bytes of bodies were checked that turned out to be wrong.
    private(set) var wrongBytes = 0
    /// The journal whose frames count; nil until the first is found, which tells.
    private(set) var journal: UInt64?

    init(bytes: UnsafeRawBufferPointer, offset: UInt64, journal: UInt64?) {
        self.bytes = bytes
        self.offset = offset
        self.journal = journal
    }

    func range(_ places: Range<Int>) -> Range<UInt64> {
        (offset + UInt64(places.lowerBound))..<(offset + UInt64(places.upperBound))
    }

    /// What stands at `place`. Time in proportion to it, where it is a frame or at least has the header of one; constant
    /// time for all else.
    mutating func frame(at place: Int) -> Finding {
        let start = place + JournalFrame.headerSize
        guard start <= bytes.count, number(at: place) == JournalFrame.marker,
            number(at: place + 4) <= bytes.count - start, isHeaderRight(at: place)
        else { return .nothing }
        let end = start + Int(number(at: place + 4))
        let body = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard CRC32C.checksum(body, continuing: number(at: place + 16)) == number(at: place + 20) else {
            wrongBytes += body.count
            return .nothing
        }
        journal = id(at: place)
        guard let record = JournalRecord(body: body), isPossible(record, at: place) else {
            return .meaningless(next: end)
        }
        return .record(record, next: end)
    }

    /// Whether a record can have been written where it stands: nothing can be folded that comes after the record.
    private func isPossible(_ record: JournalRecord, at place: Int) -> Bool {
        guard case .fold(let through, _) = record else { return true }
        return through <= offset + UInt64(place)
    }

    /// What the bytes from `place` to the end are, where no whole record begins.
    func rest(from place: Int) -> JournalScan.Rest {
        if place == bytes.count { return .nothing }
        return isBeginning(at: place) || bytes[place...].allSatisfy({ $0 == 0 }) ? .incomplete : .damaged
    }

    /// Whether all that is there from `place` to the end is as in a frame that goes on behind the end.
    private func isBeginning(at place: Int) -> Bool {
        let left = bytes.count - place
        let marker = withUnsafeBytes(of: JournalFrame.marker.littleEndian) { Array($0.prefix(left)) }
        guard bytes[place...].starts(with: marker) else { return false }
        guard left >= JournalFrame.headerSize - 4 else { return true }
        return isHeaderRight(at: place) && Int64(number(at: place + 4)) > left - JournalFrame.headerSize
    }

    /// Whether the check of the header at `place` is right, and the length one that is written. All of the header but
    /// the check of the body must be there.
    private func isHeaderRight(at place: Int) -> Bool {
        guard number(at: place + 4) <= JournalFrame.bodyLimit, journal == nil || journal == id(at: place) else {
            return false
        }
        let frame = UnsafeRawBufferPointer(rebasing: bytes[place...])
        return JournalFrame.headerCheck(of: frame, at: offset + UInt64(place)) == number(at: place + 16)
    }

    private func id(at place: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))
    }

    private func number(at place: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }
}
