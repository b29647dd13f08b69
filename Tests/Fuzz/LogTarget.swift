import Foundation

@testable import SettingsKitFiles

extension FuzzTarget {
    /// A log, as it is, and with the checks of its lines made right.
    static let log = FuzzTarget(name: "log") { bytes in
        for log in [bytes, withRightChecks(bytes)] {
            var contents = LogContents()
            var lines: [LogChanges] = []
            let end = LogLineReader.read(log) { line, _ in
                if case .line(let line) = line { requireSame(line) }
                if case .line(.changes(let changes)) = line, changes.stamp != nil {
                    lines.append(changes)
                    _ = contents.apply(.changes(changes))
                }
            }
            require(log[end...].allSatisfy { $0 != UInt8(ascii: "\n") }, "all complete lines are read")
            require(contents.winners(among: lines).isEmpty, "nothing wins over a log that has it")
            var merged = LogContents()
            for line in merged.winners(among: lines) { _ = merged.apply(.changes(line)) }
            require(merged.entries == contents.entries, "what wins makes the same")
            var output = LogLine.newBeginning.bytes
            _ = contents.forEachLine(from: Int64(output.count)) { line in
                line.append(to: &output)
                return Int64(output.count)
            }
            var again = LogContents()
            _ = LogLineReader.read(output) { line, _ in _ = again.apply(line) }
            require(!again.isDamaged && again.entries == contents.entries, "a log that is written is read")
        }
    } seeds: {
        let stamp = LogStamp(milliseconds: 1_763_740_000_123, counter: 3, replica: 7)
        func changes(_ values: [(String, Data?)], _ stamp: LogStamp?, unknown: String = "") -> LogLine {
            .changes(
                LogChanges(
                    changes: values.map { LogChange(name: $0, data: $1) }, stamp: stamp,
                    unknownMembers: Array(unknown.utf8)))
        }
        let lines: [LogLine] = [
            .beginning(log: 7), .replica(LogReplica(id: 7, device: "Ann's \"laptop\"")),
            changes([("theme", Data("\"dark\"".utf8))], stamp),
            changes([("\u{E9}\n\"", nil), ("data", Data([0, 255, 10]))], stamp, unknown: "\"z\":[1,{\"a\":null}]"),
            changes([("volume", Data("0.8".utf8))], nil), .failedFlush,
        ]
        let file = lines.flatMap(\.bytes)
        let text = String(decoding: file, as: UTF8.self)
        return [file, Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8), file + file]
    }

    private static func requireSame(_ line: LogLine) {
        var again: [LogLineReader.Result] = []
        _ = LogLineReader.read(line.bytes) { found, _ in again.append(found) }
        require(again == [.line(line)], "a line that is written is read")
    }

    static func withRightChecks(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let start = output.count
            let isChecked = line.count > LogCheck.size && line.suffix(LogCheck.size).starts(with: ",\"crc\":\"".utf8)
            output += line.dropLast(isChecked ? LogCheck.size : 1)
            LogCheck.append(to: &output, from: start)
        }
        return output
    }
    /// The log with each line that has a digest of the property list, as a list that is known, made right for a list.
    static func withRightDigest(_ log: [UInt8], of list: Data) -> [UInt8] {
        var output: [UInt8] = []
        var start = 0
        _ = LogLineReader.read(log) { line, end in
            if case .line(.list(var known)) = line, known.digest != nil {
                known.digest = FileDigest(list)
                LogLine.list(known).append(to: &output)
            } else {
                output += log[start..<end]
            }
            start = end
        }
        return output + log[start...]
    }
}
