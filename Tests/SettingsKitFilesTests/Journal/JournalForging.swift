import Foundation

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// Making checksums right in bytes that a test or a fuzzer has changed, so that what is behind them is reached.
///
/// The layout of headers and frames is all that is known here, not the kinds of records.
enum JournalForging {
    /// The journal with the check of its header, and of every frame that a marker begins, made right.
    static func withRightChecks(_ journal: [UInt8]) -> [UInt8] {
        var journal = journal
        guard journal.count >= JournalHeader.size else { return journal }
        let checkStart = JournalHeader.size - 4
        put(crc(journal[..<checkStart]), at: checkStart, in: &journal)
        let marker = withUnsafeBytes(of: JournalFrame.marker.littleEndian) { Array($0) }
        var place = JournalHeader.size
        while place + JournalFrame.headerSize <= journal.count {
            guard journal[place..<(place + 4)].elementsEqual(marker) else {
                place += 1
                continue
            }
            let start = place + JournalFrame.headerSize
            let length = min(Int(number(at: place + 4, in: journal)), journal.count - start)
            let check = Array(journal[place...].prefix(JournalFrame.checkedSize)).withUnsafeBytes {
                JournalFrame.headerCheck(of: $0, at: UInt64(place))
            }
            put(check, at: place + JournalFrame.checkedSize, in: &journal)
            put(crc(journal[start..<(start + length)], continuing: check), at: start - 4, in: &journal)
            place = start + length
        }
        return journal
    }

    /// The property list with the check of its mark, if it has one, made right.
    static func withRightMark(_ file: [UInt8]) -> [UInt8] {
        guard let start = file.firstRange(of: Array("SettingsKit list ".utf8))?.lowerBound,
            let end = file[start...].firstRange(of: Array(" check ".utf8))?.upperBound, file.count >= end + 8
        else { return file }
        var file = file
        var digits: [UInt8] = []
        crc(file[start..<end]).appendHexDigits(to: &digits)
        file.replaceSubrange(end..<(end + 8), with: digits)
        return file
    }

    /// The property list with every decimal number of its mark, if it has one, replaced.
    static func withMark(of file: [UInt8], at limit: UInt64) -> [UInt8] {
        guard let start = file.firstRange(of: Array("SettingsKit list ".utf8))?.lowerBound,
            let end = file[start...].firstRange(of: Array(" check ".utf8))?.lowerBound
        else { return file }
        let words = String(decoding: file[start..<end], as: UTF8.self).split(separator: " ").map { word in
            // Other numbers have sixteen hexadecimal digits.
            word.utf8.count != 16 && word.allSatisfy(\.isWholeNumber) ? String(limit) : String(word)
        }
        return file[..<start] + Array(words.joined(separator: " ").utf8) + file[end...]
    }

    /// Puts a number, in the journal's byte order, over the bytes at a place counted round the journal's end.
    static func put(_ number: UInt64, at place: Int, in journal: inout [UInt8]) {
        guard journal.count >= 8 else { return }
        let place = place % (journal.count - 7)
        journal.withUnsafeMutableBytes {
            $0.storeBytes(of: number.littleEndian, toByteOffset: place, as: UInt64.self)
        }
    }

    private static func crc(_ bytes: ArraySlice<UInt8>, continuing check: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { CRC32C.checksum($0, continuing: check) }
    }

    private static func number(at place: Int, in bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
    }

    private static func put(_ number: UInt32, at place: Int, in bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: number.littleEndian, toByteOffset: place, as: UInt32.self) }
    }
}
