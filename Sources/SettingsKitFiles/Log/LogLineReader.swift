import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the lines of a log from untrusted bytes.
///
/// Takes linear time, and memory in proportion to the bytes.
enum LogLineReader {
    /// A complete line of a log.
    enum Result: Equatable, Sendable {
        case line(LogLine)
        /// Its check is wrong, or it has no meaning.
        case damaged
        /// A newer version of this library has written it.
        case newerVersion(Int)
    }

    /// Reads the complete lines of a part of a log.
    ///
    /// - Parameters:
    ///   - start: The beginning of a line.
    ///   - body: Receives each line, and the number of bytes up to its end.
    /// - Returns: The number of bytes up to the last line break.
    static func read(_ bytes: [UInt8], from start: Int = 0, _ body: (Result, Int) -> Void) -> Int {
        bytes.withUnsafeBufferPointer { read($0, from: start, body) }
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ body: (Result, Int) -> Void
    ) -> Int {
        var start = start
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            var line = start..<end
            // A tool for text files may have changed the line breaks.
            if let last = line.last, bytes[last] == UInt8(ascii: "\r") { line.removeLast() }
            body(read(line, in: bytes), end + 1)
            start = end + 1
        }
        return start
    }

    /// What the first bytes of a file say about it.
    enum Beginning: Equatable, Sendable {
        /// The file is a log, or the beginning of one.
        case log
        /// The file may have been a log: it is empty, or has nothing but zeros.
        case damaged
        /// Another program's file.
        case foreign
    }

    /// - Parameter bytes: The file's first bytes, at least as many as ``LogLine/magic`` has, if it has so many.
    static func beginning(of bytes: some Collection<UInt8>) -> Beginning {
        if bytes.allSatisfy({ $0 == 0 }) { return .damaged }
        let magic = LogLine.magic.utf8
        if bytes.starts(with: magic) { return .log }
        return bytes.count < magic.count && magic.starts(with: bytes) ? .damaged : .foreign
    }

    /// Reads the XML of a member of a property list.
    static func member(_ text: String) -> PropertyListValue? {
        do throws(PropertyListError) {
            return try PropertyListReader.read(Data("<plist>\(text)</plist>".utf8))
        } catch {
            return nil
        }
    }

    // MARK: A line

    private static func read(_ line: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Result {
        guard let range = LogCheck.checked(line, in: bytes) else { return .damaged }
        var scanner = JSONScanner(bytes, range)
        var members = LogMembers()
        // The closing brace stands behind the check.
        guard scanner.skip("{"), members.read(&scanner), scanner.isAtEnd else { return .damaged }
        if let version = members.version, version > LogLine.version { return .newerVersion(version) }
        return members.line.map { .line($0) } ?? .damaged
    }
}

/// The members of a line, or of a change in a batch.
private struct LogMembers {
    /// Whether the members are those of the object about the property list.
    var isOfList = false
    /// Whether the members are those of a change in a batch. Neither contains a batch or a list, so reading does not recurse.
    var isOfBatch = false
    private var marker: String?
    private(set) var version: Int?
    private var log: UInt64?
    private var flush: String?
    private var owner: UInt64?
    private var device: String?
    private var name: String?
    /// Nil before a value or a removal is read.
    private var value: Data??
    private var batch: [LogChange]?
    /// The XML of a member.
    private var member: PropertyListValue?
    private var list: LogList?
    private var size: Int64?
    private var checksum: UInt32?
    private var through: Int64?
    private var shown: [String]?
    private var milliseconds: Int64?
    private var counter: UInt16?
    private var replica: UInt64?
    private var unknown: [UInt8] = []

    /// Reads members up to the end, or the closing brace.
    ///
    /// - Returns: False if the text is not JSON, or a member is invalid or occurs twice.
    mutating func read(_ scanner: inout JSONScanner) -> Bool {
        repeat {
            let start = scanner.position
            guard let name = scanner.skipText(), scanner.skip(":") else { return false }
            var member = Name(UnsafeBufferPointer(rebasing: scanner.bytes[name]))
            if member.isOfList, !isOfList { member = .unknown }
            guard let isKnown = readValue(of: member, &scanner) else { return false }
            if isKnown { continue }
            guard scanner.skipValue() != nil else { return false }
            if !unknown.isEmpty { unknown.append(UInt8(ascii: ",")) }
            unknown.append(contentsOf: scanner.bytes[start..<scanner.position])
        } while scanner.skip(",")
        return true
    }

    private enum Name {
        case settings, version, log, flush, replica, device, key, value, data, deleted, plist, set, changed, order, by
        case size, crc, through, shows

        /// Whether only the object about the property list has it.
        var isOfList: Bool { [.size, .crc, .through, .shows].contains(self) }
        case unknown

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            func isIt(_ word: StaticString) -> Bool {
                guard bytes.count == word.utf8CodeUnitCount else { return false }
                // Every line has several names: a loop takes a tenth of the time of a generic comparison.
                for (place, byte) in bytes.enumerated() where byte != word.utf8Start[place] { return false }
                return true
            }
            switch bytes.count {
            case 2: self = isIt("by") ? .by : .unknown
            case 3: self = isIt("key") ? .key : isIt("set") ? .set : isIt("log") ? .log : isIt("crc") ? .crc : .unknown
            case 4: self = isIt("data") ? .data : isIt("size") ? .size : .unknown
            case 5:
                self =
                    isIt("value")
                    ? .value
                    : isIt("order")
                        ? .order
                        : isIt("flush") ? .flush : isIt("plist") ? .plist : isIt("shows") ? .shows : .unknown
            case 6: self = isIt("device") ? .device : .unknown
            case 7:
                self =
                    isIt("changed")
                    ? .changed
                    : isIt("deleted")
                        ? .deleted
                        : isIt("version")
                            ? .version : isIt("replica") ? .replica : isIt("through") ? .through : .unknown
            case 8: self = isIt("settings") ? .settings : .unknown
            default: self = .unknown
            }
        }
    }

    /// - Returns: Whether the member is known; nil if it is invalid or occurs twice.
    private mutating func readValue(of name: Name, _ scanner: inout JSONScanner) -> Bool? {
        /// Sets a member that may occur once.
        func set<Value>(_ place: inout Value?, _ value: Value?) -> Bool? {
            guard place == nil, let value else { return nil }
            place = value
            return true
        }
        switch name {
        case .settings: return set(&marker, scanner.readString())
        case .version: return set(&version, scanner.readInteger())
        case .log: return set(&log, scanner.readHexDigits())
        case .flush: return set(&flush, scanner.readString())
        case .replica: return set(&owner, scanner.readHexDigits())
        case .device: return set(&device, scanner.readString())
        case .key: return set(&self.name, scanner.readString())
        case .value: return set(&value, scanner.readData().map { .some($0) })
        case .data: return set(&value, scanner.readBase64().map { .some($0) })
        case .plist:
            if !scanner.isAtEnd, scanner.bytes[scanner.position] == UInt8(ascii: "{") {
                return isOfList || isOfBatch ? nil : set(&list, Self.readList(&scanner))
            }
            return set(&member, scanner.readMember())
        case .size: return set(&size, scanner.readInteger())
        case .crc: return set(&checksum, scanner.readCheck())
        case .through: return set(&through, scanner.readInteger())
        case .shows: return set(&shown, Self.readNames(&scanner))
        case .deleted: return set(&value, scanner.skip(word: "true") ? .some(nil) : nil)
        case .set: return isOfBatch ? nil : set(&batch, Self.readBatch(&scanner))
        case .changed: return set(&milliseconds, scanner.readTime())
        case .order: return set(&counter, scanner.readInteger())
        case .by: return set(&replica, scanner.readHexDigits())
        case .unknown: return false
        }
    }

    private static func readBatch(_ scanner: inout JSONScanner) -> [LogChange]? {
        guard scanner.skip("[") else { return nil }
        var changes: [LogChange] = []
        if scanner.skip("]") { return changes }
        repeat {
            var members = LogMembers()
            members.isOfBatch = true
            guard scanner.skip("{"), members.read(&scanner), scanner.skip("}"), let change = members.change,
                members.kinds == 1, !members.hasStamp
            else { return nil }
            changes.append(change)
        } while scanner.skip(",")
        return scanner.skip("]") ? changes : nil
    }

    private static func readNames(_ scanner: inout JSONScanner) -> [String]? {
        guard scanner.skip("[") else { return nil }
        var names: [String] = []
        if scanner.skip("]") { return names }
        repeat {
            guard let name = scanner.readString() else { return nil }
            names.append(name)
        } while scanner.skip(",")
        return scanner.skip("]") ? names : nil
    }

    private static func readList(_ scanner: inout JSONScanner) -> LogList? {
        var members = LogMembers()
        members.isOfList = true
        guard scanner.skip("{"), members.read(&scanner), scanner.skip("}"), members.kinds <= 1, members.name == nil,
            !members.hasStamp, (members.size == nil) == (members.checksum == nil)
        else { return nil }
        let digest = members.size.flatMap { size in members.checksum.map { FileDigest(size: size, checksum: $0) } }
        if let changes = members.batch {
            guard let shown = members.shown, members.through == nil else { return nil }
            return LogList(digest: digest, kind: .imported(changes, shown: shown))
        }
        guard members.shown == nil else { return nil }
        if let through = members.through { return LogList(digest: digest, kind: .printed(through: through)) }
        return digest == nil ? nil : LogList(digest: digest, kind: .announced)
    }

    private var hasStamp: Bool { milliseconds != nil || counter != nil || replica != nil }

    /// How many kinds of lines the members belong to.
    private var kinds: Int {
        [marker != nil, flush != nil, owner != nil, name != nil, batch != nil, list != nil].count { $0 }
    }

    private var change: LogChange? {
        guard let name, !name.utf8.contains(0) else { return nil }
        if let member { return value == nil ? LogChange(name: name, member: member) : nil }
        return value.map { LogChange(name: name, data: $0) }
    }

    /// The line; nil if its members are not those of a line.
    var line: LogLine? {
        guard kinds == 1 else { return nil }
        if marker != nil {
            guard marker == "log", version != nil, let log else { return nil }
            return .beginning(log: log)
        }
        if flush != nil { return flush == "failed" ? .failedFlush : flush == "replaced" ? .replaced : nil }
        if let owner { return device.map { .replica(LogReplica(id: owner, device: $0)) } }
        if let list { return hasStamp ? nil : .list(list) }
        guard let changes = batch ?? change.map({ [$0] }), !changes.isEmpty,
            // A new log has them for each name.
            unknown.count * changes.count <= LogLimits.unknownMembers
        else { return nil }
        guard hasStamp else { return .changes(LogChanges(changes: changes, unknownMembers: unknown)) }
        guard let milliseconds, let replica else { return nil }
        let stamp = LogStamp(milliseconds: milliseconds, counter: counter ?? 0, replica: replica)
        guard stamp.time < LogStamp.end else { return nil }
        return .changes(LogChanges(changes: changes, stamp: stamp, unknownMembers: unknown))
    }
}

extension JSONScanner {
    /// Reads a number without a sign, a fraction and an exponent.
    fileprivate mutating func readInteger<Integer: FixedWidthInteger>() -> Integer? {
        skipNumber().flatMap { bytes[$0.lowerBound] == UInt8(ascii: "-") ? nil : integer(in: $0) }
    }

    /// Reads a string without escapes.
    private mutating func readPlainText() -> UnsafeBufferPointer<UInt8>? {
        skipText().map { UnsafeBufferPointer(rebasing: bytes[$0]) }
    }

    fileprivate mutating func readHexDigits() -> UInt64? { readPlainText().flatMap { UInt64(hexDigits: $0) } }

    fileprivate mutating func readCheck() -> UInt32? { readPlainText().flatMap { UInt32(hexDigits: $0) } }

    /// Reads the bytes of a value.
    fileprivate mutating func readData() -> Data? {
        skipValue().flatMap { range in bytes.baseAddress.map { Data(bytes: $0 + range.lowerBound, count: range.count) }
        }
    }

    /// Reads the XML of a member of a property list.
    fileprivate mutating func readMember() -> PropertyListValue? { readString().flatMap { LogLineReader.member($0) } }

    fileprivate mutating func readTime() -> Int64? { readPlainText().flatMap { InstantText.milliseconds($0) } }

    fileprivate mutating func readBase64() -> Data? {
        readPlainText().flatMap { text in
            let data = Data(base64Encoded: String(decoding: text, as: UTF8.self))
            return data?.base64EncodedData().elementsEqual(text) == true ? data : nil
        }
    }
}
