/// Recognizes the frames among the bytes of a journal. The bytes begin at `offset` in the file, and places are counted
/// from there.
struct JournalFrames {
    enum Finding {
        /// A complete record, which ends before `next`.
        case record(JournalRecord, next: Int)
        /// A frame with correct checks, whose body is not a known record.
        case meaningless(next: Int)
        /// Not a complete frame.
        case nothing
    }

    let bytes: UnsafeRawBufferPointer
    let offset: UInt64
    /// The number of bytes of bodies whose check was wrong.
    private(set) var wrongBytes = 0
    /// The journal whose frames count; nil until the first frame determines it.
    private(set) var journal: UInt64?

    init(bytes: UnsafeRawBufferPointer, offset: UInt64, journal: UInt64?) {
        self.bytes = bytes
        self.offset = offset
        self.journal = journal
    }

    func range(_ places: Range<Int>) -> Range<UInt64> {
        (offset + UInt64(places.lowerBound))..<(offset + UInt64(places.upperBound))
    }

    /// Returns the finding at `place`. Takes time in proportion to the frame, if there is one or a header of one; otherwise
    /// constant time.
    mutating func frame(at place: Int) -> Finding {
        let start = place + JournalFrame.headerSize
        guard start <= bytes.count, number(at: place) == JournalFrame.marker,
            number(at: place + 4) <= bytes.count - start, isHeaderRight(at: place)
        else { return .nothing }
        let end = start + Int(clamping: number(at: place + 4))
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

    /// Whether a record can have been written at its place: a fold cannot include later records.
    private func isPossible(_ record: JournalRecord, at place: Int) -> Bool {
        guard case .fold(let through, _) = record else { return true }
        return through <= offset + UInt64(place)
    }

    /// Returns the kind of the bytes from `place` to the end, if no complete record begins there.
    func rest(from place: Int) -> JournalScan.Rest {
        if place == bytes.count { return .nothing }
        return isBeginning(at: place) || bytes[place...].allSatisfy({ $0 == 0 }) ? .incomplete : .damaged
    }

    /// Whether the bytes from `place` to the end begin a frame that continues beyond the end.
    private func isBeginning(at place: Int) -> Bool {
        let left = bytes.count - place
        let marker = withUnsafeBytes(of: JournalFrame.marker.littleEndian) { Array($0.prefix(left)) }
        guard bytes[place...].starts(with: marker) else { return false }
        guard left >= JournalFrame.headerSize - 4 else { return true }
        return isHeaderRight(at: place) && Int64(number(at: place + 4)) > left - JournalFrame.headerSize
    }

    /// Whether the header's check at `place` is correct, and its length is one that is written. The whole header except
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
