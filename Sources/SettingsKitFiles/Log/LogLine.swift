import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A line of a log.
///
/// A log is a file of JSON Lines to which lines are only appended. Each ends with the CRC-32C of the bytes before its check:
///
/// ```
/// {"settings":"log","version":1,"log":"8c04f1d2a97be350","crc":"259c865d"}
/// {"key":"volume","value":0.8,"crc":"ba3b144f"}
/// {"set":[{"key":"a","value":1},{"key":"b","deleted":true}],"crc":"91f07a11"}
/// ```
///
/// The lines of a shared log also say when a change was made, and by which replica. Another line says which replica the log belongs
/// to:
///
/// ```
/// {"replica":"1f0a72d3c4b59687","device":"laptop","crc":"7d5a01c2"}
/// {"key":"theme","value":"dark","changed":"2026-11-21T15:04:05.120Z","by":"1f0a72d3c4b59687","crc":"5e0b11aa"}
/// ```
///
/// A property list that is printed from a log has lines of its own, see ``LogList``:
///
/// ```
/// {"plist":{"size":1841,"crc":"5e0b11aa","through":1409},"crc":"44ab0c9e"}
/// ```
///
/// The bytes of a `value` are the stored bytes, letter for letter. What is not JSON, or would not stay as it is in a line, is `data`,
/// in base 64. A `plist` is the XML of a member of the property list whose bytes would not give the same member back, such as a
/// date. ``LogLineReader`` reads the format.
enum LogLine: Equatable, Sendable {
    /// The first line. Its ID differs from that of every other log, also of one that replaces it.
    case beginning(log: UInt64)
    /// The replica that a shared log belongs to. The last such line counts.
    case replica(LogReplica)
    /// One change or several, which count together or not at all.
    case changes(LogChanges)
    /// Flushing the log has failed: what was flushed last may be lost, although a later flush succeeds.
    case failedFlush
    /// What is known of the property list that is printed from the log.
    case list(LogList)
    /// Another log is about to replace this one. Processes that use this one look for it.
    case replaced

    /// The version of the format. A log with a greater version is not read.
    static let version = 1
    /// The beginning of every log, in all versions of the format.
    static let magic = "{\"settings\":\"log\","

    /// Whether the line does nothing but remove values.
    var isRemoval: Bool {
        if case .changes(let line) = self { line.changes.allSatisfy { $0.data == nil } } else { false }
    }

    /// The first line of a new log.
    static var newBeginning: LogLine { .beginning(log: .random(in: 1 ... .max)) }
}

/// A replica: one local state, on one device.
struct LogReplica: Hashable, Sendable {
    /// Drawn at random, so that no coordination is needed. With fewer than some millions of replicas, a failure of the disk is more
    /// likely than two equal IDs.
    var id: UInt64
    /// The name of the device, for people.
    var device: String
}

/// Changes that were made together.
struct LogChanges: Equatable, Sendable {
    var changes: [LogChange]
    /// When they were made, and by whom; nil in a log that is not shared.
    var stamp: LogStamp?
    /// The members that a newer version has added, as JSON text.
    var unknownMembers: [UInt8] = []
}

/// A change of a stored value.
struct LogChange: Equatable, Sendable {
    var name: String
    /// The new bytes; nil for a removal.
    var data: Data?
    /// The member of the property list, if the bytes alone would give another one.
    private(set) var member: PropertyListValue?

    init(name: String, data: Data?) { (self.name, self.data) = (name, data) }

    init(name: String, _ entry: LogContents.Entry) {
        (self.name, data, member) = (name, entry.data, entry.member)
    }

    /// Stores a member of a property list.
    init(name: String, member: PropertyListValue) {
        let member = member.writable
        self.init(name: name, data: NativeValue.bytes(of: member))
        guard let data, member.hasKindOfItsOwn, NativeValue.value(for: data) != member else { return }
        // XML has no fraction of a second in a date.
        if LogLineReader.member(XMLPropertyListWriter.text(of: member)) == member { self.member = member }
    }

    /// Stores other bytes in place of a member, whose kind is kept where the bytes permit it.
    init(name: String, data: Data, resembling old: PropertyListValue?) {
        if let old {
            self.init(name: name, member: NativeValue.value(for: data, resembling: old))
        } else {
            self.init(name: name, data: data)
        }
    }
}

/// What a log says of the property list that is printed from it.
struct LogList: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// The list is about to be replaced by this one. Other processes then need not parse it.
        case announced
        /// The list has all changes up to this offset of the log.
        case printed(through: Int64)
        /// A person or another program has written the list: its changes, and the other names whose values it shows although they
        /// were not printed.
        case imported([LogChange], shown: [String])
    }

    /// Identifies the list. Nil if there is none.
    var digest: FileDigest?
    var kind: Kind
}

/// The time of a change in a shared log, and the replica that made it.
///
/// The time is that of a hybrid logical clock (Kulkarni and others, "Logical Physical Clocks", OPODIS 2014): milliseconds, and a
/// counter that orders changes within a millisecond, in one number. The next time is the number plus one, so that a counter that
/// overflows advances the milliseconds. The replica is no part of the order.
struct LogStamp: Hashable, Sendable {
    /// Milliseconds since 1970, multiplied by 65,536, plus the counter.
    var time: UInt64
    var replica: UInt64

    /// The first time after the year 2199. A later one is damage.
    static let end = UInt64(7_258_118_400_000) << 16

    init(time: UInt64, replica: UInt64) { (self.time, self.replica) = (time, replica) }

    init(milliseconds: Int64, counter: UInt16 = 0, replica: UInt64) {
        self.init(time: UInt64(max(milliseconds, 0)) << 16 | UInt64(counter), replica: replica)
    }

    var milliseconds: Int64 { Int64(time >> 16) }
    var counter: UInt16 { UInt16(truncatingIfNeeded: time) }
}

// MARK: Writing

extension [UInt8] {
    mutating func append(_ literal: StaticString) { literal.withUTF8Buffer { append(contentsOf: $0) } }
}

extension LogLine {
    /// Appends the line's bytes, with the line break. Linear time.
    func append(to output: inout [UInt8]) {
        let start = output.count
        switch self {
        case .beginning(let log):
            output.append(contentsOf: Self.magic.utf8)
            output.append(contentsOf: "\"version\":\(Self.version),\"log\":\"".utf8)
            log.appendHexDigits(to: &output)
            output.append(UInt8(ascii: "\""))
        case .replica(let replica):
            output.append("{\"replica\":\"")
            replica.id.appendHexDigits(to: &output)
            output.append("\",\"device\":")
            JSONText.append(replica.device, to: &output)
        case .changes(let line):
            if line.changes.count == 1 {
                output.append(UInt8(ascii: "{"))
                line.changes[0].appendMembers(to: &output)
            } else {
                output.append(UInt8(ascii: "{"))
                LogChange.append(line.changes, to: &output)
            }
            if let stamp = line.stamp { stamp.appendMembers(to: &output) }
            Self.append(line.unknownMembers, to: &output)
        case .failedFlush: output.append("{\"flush\":\"failed\"")
        case .list(let list): list.append(to: &output)
        case .replaced: output.append("{\"flush\":\"replaced\"")
        }
        LogCheck.append(to: &output, from: start)
    }

    /// The line's bytes, with the line break.
    var bytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    private static func append(_ unknownMembers: [UInt8], to output: inout [UInt8]) {
        if unknownMembers.isEmpty { return }
        output.append(UInt8(ascii: ","))
        output.append(contentsOf: unknownMembers)
    }
}

extension LogChange {
    fileprivate func appendMembers(to output: inout [UInt8]) {
        output.append("\"key\":")
        JSONText.append(name, to: &output)
        guard let data else { return output.append(",\"deleted\":true") }
        if let member {
            output.append(",\"plist\":")
            return JSONText.append(XMLPropertyListWriter.text(of: member), to: &output)
        }
        if data.withUnsafeBytes({ $0.withMemoryRebound(to: UInt8.self) { Self.isWrittenAsIs($0) } }) {
            output.append(",\"value\":")
            data.withUnsafeBytes { output.append(contentsOf: $0) }
        } else {
            output.append(",\"data\":\"")
            output.append(contentsOf: data.base64EncodedData())
            output.append(UInt8(ascii: "\""))
        }
    }

    fileprivate static func append(_ changes: [LogChange], to output: inout [UInt8]) {
        output.append("\"set\":[")
        for (index, change) in changes.enumerated() {
            output.append(index == 0 ? "{" : ",{")
            change.appendMembers(to: &output)
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: "]"))
    }

    /// Whether bytes are a JSON value on one line, without white space around it.
    private static func isWrittenAsIs(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first, let last = bytes.last, first > 0x20, last > 0x20 else { return false }
        return JSONScanner.isValue(bytes)
    }
}

extension LogList {
    fileprivate func append(to output: inout [UInt8]) {
        output.append("{\"plist\":{")
        let start = output.count
        func separate(_ output: inout [UInt8]) { if output.count > start { output.append(UInt8(ascii: ",")) } }
        if let digest {
            output.append(contentsOf: "\"size\":\(digest.size),\"crc\":\"".utf8)
            digest.checksum.appendHexDigits(to: &output)
            output.append(UInt8(ascii: "\""))
        }
        switch kind {
        case .announced: break
        case .printed(let offset):
            separate(&output)
            output.append(contentsOf: "\"through\":\(offset)".utf8)
        case .imported(let changes, let shown):
            separate(&output)
            LogChange.append(changes, to: &output)
            output.append(",\"shows\":[")
            for (index, name) in shown.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSONText.append(name, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        }
        output.append(UInt8(ascii: "}"))
    }
}

extension LogStamp {
    fileprivate func appendMembers(to output: inout [UInt8]) {
        output.append(",\"changed\":\"")
        InstantText.append(milliseconds, to: &output)
        output.append(UInt8(ascii: "\""))
        if counter > 0 {
            output.append(",\"order\":")
            output.append(contentsOf: String(counter).utf8)
        }
        output.append(",\"by\":\"")
        replica.appendHexDigits(to: &output)
        output.append(UInt8(ascii: "\""))
    }
}

/// The check at the end of a line.
enum LogCheck {
    private static let opening = Array(",\"crc\":\"".utf8)
    private static let closing = Array("\"}".utf8)
    /// The number of bytes that the check takes.
    static let size = 18

    /// Completes the line that begins at `start`, and lacks its last brace, with its check and a line break.
    static func append(to output: inout [UInt8], from start: Int) {
        let check = output[start...].withUnsafeBytes { CRC32C.checksum($0) }
        output.append(",\"crc\":\"")
        check.appendHexDigits(to: &output)
        output.append("\"}\n")
    }

    /// Returns the range of a line before its check. Nil if the check is wrong.
    static func checked(_ line: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard line.count > size else { return nil }
        let start = line.upperBound - size
        let digits = (start + opening.count)..<(start + opening.count + 8)
        guard bytes[start..<digits.lowerBound].elementsEqual(opening),
            bytes[digits.upperBound..<line.upperBound].elementsEqual(closing),
            let check = UInt32(hexDigits: bytes[digits])
        else { return nil }
        let text = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[line.lowerBound..<start]))
        return CRC32C.checksum(text) == check ? line.lowerBound..<start : nil
    }
}

/// Identifies the contents of a file, wherever the file is.
package struct FileDigest: Sendable, Equatable {
    package var size: Int64
    /// The CRC-32C of the bytes.
    package var checksum: UInt32

    package init(size: Int64, checksum: UInt32) { (self.size, self.checksum) = (size, checksum) }

    init(_ bytes: Data) {
        self.init(size: Int64(bytes.count), checksum: bytes.withUnsafeBytes { CRC32C.checksum($0) })
    }
}

/// Times as text, `2026-11-21T15:04:05.123Z`: ISO 8601, UTC, always 24 characters.
enum InstantText {
    /// The last millisecond of the year 9999, since 1970: a later time would have a longer text.
    private static let latest: Int64 = 253_402_300_799_999

    /// Appends the text for a time in milliseconds since 1970. A time without a text becomes the nearest one with a text, because
    /// a clock can show any time.
    static func append(_ milliseconds: Int64, to output: inout [UInt8]) {
        let milliseconds = min(max(milliseconds, 0), latest)
        CivilTime(secondsSince1970: milliseconds / 1_000).append(to: &output)
        output.append(UInt8(ascii: "."))
        // The first digit keeps the zeros after it.
        output.append(contentsOf: String(1_000 + milliseconds % 1_000).utf8.dropFirst())
        output.append(UInt8(ascii: "Z"))
    }

    /// Returns the milliseconds since 1970 for a text. Nil for other texts and for times before 1970.
    static func milliseconds(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count == 24 else { return nil }
        var scanner = TimeScanner(Array(text)[...])
        guard let time = scanner.time(), time.isValid, scanner.skip("."), let fraction = scanner.number(3...3),
            scanner.skip("Z")
        else { return nil }
        let milliseconds = time.secondsSince1970 * 1_000 + fraction
        return (0...latest).contains(milliseconds) ? milliseconds : nil
    }
}
