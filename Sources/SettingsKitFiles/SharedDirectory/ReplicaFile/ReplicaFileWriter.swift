import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes replicas' files.
enum ReplicaFileWriter {
    /// Returns the bytes of a file. The first line counts `records`, whatever the header's count. Linear time.
    static func bytes(_ header: ReplicaHeader, _ records: [SharedRecord]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256 + records.reduce(0) { $0 + 160 + $1.name.utf8.count + ($1.entry.value?.count ?? 0) })
        append(header, count: records.count, to: &output)
        for record in records { append(record, to: &output) }
        return output
    }

    private static func append(_ header: ReplicaHeader, count: Int, to output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: ReplicaFile.magic.utf8)
        output.append(contentsOf: "\"version\":\(ReplicaFile.version),\"replica\":\"\(header.replica)\"".utf8)
        output.append(contentsOf: ",\"device\":".utf8)
        JSONText.append(header.device, to: &output)
        output.append(contentsOf: ",\"written\":\"".utf8)
        InstantText.append(header.written, to: &output)
        output.append(contentsOf: "\",\"records\":\(count)".utf8)
        appendParts(of: header, to: &output)
        append(header.accepted, to: &output)
        append(header.heard, to: &output)
        appendUnknown(header.unknownFields, to: &output)
        LineCheck.append(to: &output, from: start)
    }

    /// Appends `"accepted":{"EPOCH":"TIME"}`.
    private static func append(_ accepted: AcceptedTimes, to output: inout [UInt8]) {
        guard !accepted.isEmpty else { return }
        output.append(contentsOf: ",\"accepted\":{".utf8)
        for (index, (epoch, time)) in accepted.times.sorted(by: { $0.key < $1.key }).enumerated() {
            output.append(contentsOf: "\(index > 0 ? "," : "")\"\(epoch)\":\"".utf8)
            InstantText.append(time, to: &output)
            output.append(UInt8(ascii: "\""))
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Appends `"heard":{"REPLICA":["TIME",ORDER,EPOCH]}`.
    private static func append(_ heard: HeardMoments, to output: inout [UInt8]) {
        guard !heard.isEmpty else { return }
        output.append(contentsOf: ",\"heard\":{".utf8)
        for (index, (replica, moment)) in heard.moments.sorted(by: { $0.key < $1.key }).enumerated() {
            output.append(contentsOf: "\(index > 0 ? "," : "")\"\(replica)\":[\"".utf8)
            InstantText.append(moment.instant.milliseconds, to: &output)
            output.append(contentsOf: "\",\(moment.instant.order),\(moment.epoch)]".utf8)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Appends the members that only a replica with several parts has.
    private static func appendParts(of header: ReplicaHeader, to output: inout [UInt8]) {
        if header.part > 0 { output.append(contentsOf: ",\"part\":\(header.part)".utf8) }
        if let serial = header.serial {
            output.append(contentsOf: ",\"serial\":\"".utf8)
            serial.appendHexDigits(to: &output)
            output.append(UInt8(ascii: "\""))
        }
        if !header.parts.isEmpty {
            let serials = header.parts.map { $0.map { "\"\($0.hexDigits)\"" } ?? "null" }
            output.append(contentsOf: ",\"parts\":[\(serials.joined(separator: ","))]".utf8)
        }
        if let total = header.total { output.append(contentsOf: ",\"total\":\(total)".utf8) }
    }

    /// Appends a record's line.
    static func append(_ record: SharedRecord, to output: inout [UInt8]) {
        let start = output.count
        let entry = record.entry
        output.append(contentsOf: "{\"key\":".utf8)
        JSONText.append(record.name, to: &output)
        if let value = entry.value {
            append(value: value, to: &output)
        } else {
            output.append(contentsOf: ",\"deleted\":true".utf8)
        }
        output.append(contentsOf: ",\"changed\":\"".utf8)
        let moment = entry.stamp.moment
        InstantText.append(moment.instant.milliseconds, to: &output)
        output.append(UInt8(ascii: "\""))
        if moment.instant.order > 0 {
            output.append(contentsOf: ",\"order\":".utf8)
            NumberText.append(UInt64(moment.instant.order), to: &output)
        }
        if moment.epoch > 0 {
            output.append(contentsOf: ",\"epoch\":".utf8)
            NumberText.append(UInt64(moment.epoch), to: &output)
        }
        output.append(contentsOf: ",\"by\":\"".utf8)
        entry.stamp.replica.number.appendHexDigits(to: &output)
        output.append(UInt8(ascii: "\""))
        appendUnknown(entry.unknownFields, to: &output)
        LineCheck.append(to: &output, from: start)
    }

    /// Appends JSON byte for byte, and other values in base 64.
    private static func append(value: Data, to output: inout [UInt8]) {
        let isJSON = value.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { bytes in
                guard let first = bytes.first, let last = bytes.last, first > 0x20, last > 0x20 else { return false }
                return JSONScanner.isValue(bytes)
            }
        }
        if isJSON {
            output.append(contentsOf: ",\"value\":".utf8)
            output.append(contentsOf: value)
        } else {
            output.append(contentsOf: ",\"data\":\"".utf8)
            Base64Text.append(value, to: &output)
            output.append(UInt8(ascii: "\""))
        }
    }

    private static func appendUnknown(_ fields: [UInt8], to output: inout [UInt8]) {
        guard !fields.isEmpty else { return }
        output.append(UInt8(ascii: ","))
        output.append(contentsOf: fields)
    }
}
