import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads replicas' files from untrusted bytes. Takes linear time, and memory in proportion to the bytes and a fixed
/// amount a record.
enum ReplicaFileReader {
    enum Result: Sendable {
        case file(ReplicaFile)
        /// The bytes are not a replica's file.
        case foreign
        case newerVersion(Int)
    }

    /// Whether a file that begins with these bytes may be a replica's file.
    static func canBegin(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: ReplicaFile.magic.utf8) }

    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Result {
        guard canBegin(bytes) else { return .foreign }
        var file = ReplicaFile()
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            var line = start..<end
            // A tool for text files may have changed the line breaks.
            if let last = line.last, bytes[last] == UInt8(ascii: "\r") { line.removeLast() }
            if start == 0 {
                switch readHeader(line, in: bytes) {
                case .header(let header): file.header = header
                case .newerVersion(let version): return .newerVersion(version)
                case .damaged: file.damagedLines += 1
                }
            } else if let record = readRecord(line, in: bytes) {
                if record.isOversized { file.oversizedRecords += 1 } else { file.records.append(record) }
            } else if !line.isEmpty, !isHeader(line, in: bytes) {
                file.damagedLines += 1
            }
            start = end + 1
        }
        return .file(file)
    }

    // MARK: Lines

    private enum Header {
        case header(ReplicaHeader)
        case newerVersion(Int)
        case damaged
    }

    private static func readHeader(_ line: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Header {
        guard var members = Members(line, in: bytes) else { return .damaged }
        var isMarked: Bool?
        var version: Int?
        var replica: ReplicaID?
        var device: String?
        var written: Int64?
        var count: Int?
        var accepted: AcceptedTimes?
        var heard: HeardMoments?
        var part: Int?
        var serial: UInt64?
        var parts: [UInt64?]?
        var total: Int?
        var isRight = true
        while let member = members.next() {
            switch member.kind {
            case .settings: isRight = set(&isMarked, true) && isRight
            case .version: isRight = set(&version, members.number(member.value)) && isRight
            case .replica: isRight = set(&replica, members.replica(member.value)) && isRight
            case .device: isRight = set(&device, members.string(member.value)) && isRight
            case .written: isRight = set(&written, members.milliseconds(member.value)) && isRight
            case .records: isRight = set(&count, members.number(member.value)) && isRight
            case .accepted: isRight = set(&accepted, members.accepted(member.value)) && isRight
            case .heard: isRight = set(&heard, members.heard(member.value)) && isRight
            case .part: isRight = set(&part, members.number(member.value)) && isRight
            case .serial: isRight = set(&serial, members.serial(member.value)) && isRight
            case .parts: isRight = set(&parts, members.serials(member.value)) && isRight
            case .total: isRight = set(&total, members.number(member.value)) && isRight
            default: members.keep(member)
            }
        }
        guard members.isComplete, let version else { return .damaged }
        // Checked before the other members, which a newer version may have changed.
        guard version <= ReplicaFile.version else { return .newerVersion(version) }
        guard isRight, let replica, let device, let written, let count,
            // Only parts have a serial, by which a head lists them.
            (part ?? 0 > 0) == (serial != nil)
        else { return .damaged }
        var header = ReplicaHeader(
            replica: replica, device: device, written: written, recordCount: count, part: part ?? 0,
            serial: serial, parts: parts ?? [], total: total, accepted: accepted ?? AcceptedTimes(),
            heard: heard ?? HeardMoments(), unknownFields: members.unknown)
        header.heard.limit(keeping: replica)
        return .header(header)
    }

    /// Whether a line that is not a record is the first line of another file. Two files may have been concatenated.
    private static func isHeader(_ line: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard canBegin(bytes[line]), case .header = readHeader(line, in: bytes) else { return false }
        return true
    }

    private static func readRecord(_ line: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> SharedRecord? {
        guard var members = Members(line, in: bytes) else { return nil }
        var name: String?
        // Nil before the value is read.
        var value: Data??
        var changed: Int64?
        var order: Int?
        var epoch: UInt32?
        var replica: ReplicaID?
        var isNew = true
        while let member = members.next() {
            switch member.kind {
            case .key: isNew = set(&name, members.string(member.value))
            case .value: isNew = set(&value, Data(bytes[member.value]))
            // Wrapped, because nil would mean a removal, and the data may be invalid.
            case .data: isNew = set(&value, members.data(member.value).map { .some($0) })
            case .deleted: isNew = members.isTrue(member.value) && set(&value, .some(nil))
            case .changed: isNew = set(&changed, members.milliseconds(member.value))
            case .order: isNew = set(&order, members.number(member.value))
            case .epoch: isNew = set(&epoch, members.epoch(member.value))
            case .by: isNew = set(&replica, members.replica(member.value))
            default: members.keep(member)
            }
            guard isNew else { return nil }
        }
        guard members.isComplete, let name, !name.isEmpty, !name.utf8.contains(0), let value, let changed,
            let order = UInt16(checked: order ?? 0), let replica
        else { return nil }
        let moment = HybridMoment(epoch: epoch ?? 0, instant: Instant(milliseconds: changed, order: order))
        let stamp = Stamp(moment, by: replica)
        return SharedRecord(
            name: name, entry: SharedEntry(stamp: stamp, value: value, unknownFields: members.unknown))
    }

    /// Sets a member that may occur once.
    ///
    /// - Returns: false if the member has occurred before or is invalid.
    private static func set<Value>(_ place: inout Value?, _ value: Value?) -> Bool {
        guard place == nil, let value else { return false }
        place = value
        return true
    }
}

extension SharedRecord {
    /// Whether the name or the value exceeds its limit.
    fileprivate var isOversized: Bool {
        name.utf8.count > DirectoryLimits.name
            || (entry.value?.count ?? 0) + entry.unknownFields.count > DirectoryLimits.value
    }
}

/// The members of a line's object. The line's check is right.
private struct Members {
    enum Kind {
        case settings, version, replica, device, written, records, part, serial, parts, total, accepted, heard
        case key, value, data, deleted, changed, order, epoch, by
        case unknown
    }

    struct Member {
        var kind: Kind
        /// The range of the member with its name.
        var range: Range<Int>
        var value: Range<Int>
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let start: Int
    private var scanner: JSONScanner
    private(set) var isComplete = false
    /// The members that were kept, as JSON text.
    private(set) var unknown: [UInt8] = []

    init?(_ line: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) {
        guard line.count <= DirectoryLimits.line, let range = LineCheck.checked(line, in: bytes) else { return nil }
        self.bytes = bytes
        start = range.lowerBound
        scanner = JSONScanner(bytes, range)
    }

    /// Returns the next member. Nil at the end, and if something else follows; ``isComplete`` is true only at the end.
    mutating func next() -> Member? {
        if scanner.position == start {
            guard scanner.skip("{") else { return nil }
        } else if scanner.isAtEnd {
            isComplete = true
            return nil
        } else if !scanner.skip(",") {
            return nil
        }
        let begin = scanner.position
        guard let name = scanner.skipText(), scanner.skip(":"), let value = scanner.skipValue() else { return nil }
        return Member(kind: kind(of: name), range: begin..<scanner.position, value: value)
    }

    /// Keeps a member that this version does not know.
    mutating func keep(_ member: Member) {
        if !unknown.isEmpty { unknown.append(UInt8(ascii: ",")) }
        unknown.append(contentsOf: bytes[member.range])
    }

    private func kind(of name: Range<Int>) -> Kind {
        func isIt(_ word: StaticString) -> Bool {
            for index in 0..<word.utf8CodeUnitCount where bytes[name.lowerBound + index] != word.utf8Start[index] {
                return false
            }
            return true
        }
        switch name.count {
        case 2: if isIt("by") { return .by }
        case 3: if isIt("key") { return .key }
        case 4:
            if isIt("data") { return .data }
            if isIt("part") { return .part }
        case 5:
            if isIt("value") { return .value }
            if isIt("order") { return .order }
            if isIt("epoch") { return .epoch }
            if isIt("heard") { return .heard }
            if isIt("parts") { return .parts }
            if isIt("total") { return .total }
        case 6:
            if isIt("device") { return .device }
            if isIt("serial") { return .serial }
        case 7:
            if isIt("changed") { return .changed }
            if isIt("deleted") { return .deleted }
            if isIt("version") { return .version }
            if isIt("replica") { return .replica }
            if isIt("written") { return .written }
            if isIt("records") { return .records }
        case 8:
            if isIt("settings") { return .settings }
            if isIt("accepted") { return .accepted }
        default: break
        }
        return .unknown
    }

    // MARK: Values

    /// Returns the text between quotation marks. Nil if there are none.
    private func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8>? {
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return UnsafeBufferPointer(rebasing: bytes[(range.lowerBound + 1)..<(range.upperBound - 1)])
    }

    func string(_ range: Range<Int>) -> String? {
        guard text(range) != nil else { return nil }
        return scanner.string(in: (range.lowerBound + 1)..<(range.upperBound - 1))
    }

    func number(_ range: Range<Int>) -> Int? {
        Int(checkedDigits: bytes[range]).flatMap { Int(checked: $0, in: 0...DirectoryLimits.number) }
    }

    func epoch(_ range: Range<Int>) -> UInt32? {
        number(range).flatMap { UInt32(checked: $0, in: 0...HybridMoment.lastEpoch) }
    }

    /// Reads `{"EPOCH":"TIME"}`. More epochs than this version writes are merged.
    func accepted(_ range: Range<Int>) -> AcceptedTimes? {
        var times: [UInt32: Int64] = [:]
        var scanner = JSONScanner(bytes, range)
        let isRight = scanner.readMembers { name, value in
            guard let epoch = epoch(name), let time = milliseconds(value) else { return false }
            return times.updateValue(time, forKey: epoch) == nil
        }
        return isRight ? AcceptedTimes(times) : nil
    }

    /// Reads `{"REPLICA":["TIME",ORDER,EPOCH]}`, also with more replicas than this version writes.
    func heard(_ range: Range<Int>) -> HeardMoments? {
        var moments: [ReplicaID: HybridMoment] = [:]
        var scanner = JSONScanner(bytes, range)
        let isRight = scanner.readMembers { name, value in
            guard let replica = UInt64(hexDigits: bytes[name]).map({ ReplicaID($0) }), let moment = moment(value) else {
                return false
            }
            return moments.updateValue(moment, forKey: replica) == nil
        }
        return isRight ? HeardMoments(moments) : nil
    }

    /// Reads `["TIME",ORDER,EPOCH]`.
    private func moment(_ range: Range<Int>) -> HybridMoment? {
        var scanner = JSONScanner(bytes, range)
        guard scanner.skip("["), let time = scanner.skipValue().flatMap({ milliseconds($0) }), scanner.skip(","),
            let order = scanner.skipValue().flatMap({ number($0) }).flatMap({ UInt16(checked: $0) }),
            scanner.skip(","), let epoch = scanner.skipValue().flatMap({ epoch($0) }), scanner.skip("]")
        else { return nil }
        return HybridMoment(epoch: epoch, instant: Instant(milliseconds: time, order: order))
    }

    func isTrue(_ range: Range<Int>) -> Bool { bytes[range].elementsEqual("true".utf8) }

    func replica(_ range: Range<Int>) -> ReplicaID? { serial(range).map { ReplicaID($0) } }

    func serial(_ range: Range<Int>) -> UInt64? { text(range).flatMap { UInt64(hexDigits: $0) } }

    /// Reads an array of serials, with nil for each null.
    func serials(_ range: Range<Int>) -> [UInt64?]? {
        guard let first = range.first, bytes[first] == UInt8(ascii: "[") else { return nil }
        var scanner = JSONScanner(bytes, (first + 1)..<range.upperBound)
        var serials: [UInt64?] = []
        while serials.count < DirectoryLimits.listedParts {
            guard let value = scanner.skipValue() else { return nil }
            if bytes[value].elementsEqual("null".utf8) {
                serials.append(nil)
            } else if let serial = serial(value) {
                serials.append(serial)
            } else {
                return nil
            }
            if scanner.skip("]") { return serials }
            guard scanner.skip(",") else { return nil }
        }
        return nil
    }

    func milliseconds(_ range: Range<Int>) -> Int64? { text(range).flatMap { InstantText.milliseconds($0) } }

    func data(_ range: Range<Int>) -> Data? {
        text(range).flatMap { Base64Text.decodeCanonical(Array($0)) }.map { Data($0) }
    }
}
