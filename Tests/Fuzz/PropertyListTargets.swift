import Foundation
import SettingsKitCore

@testable import SettingsKitFiles

extension FuzzTarget {
    /// A file in the XML format.
    static let xmlPropertyList = FuzzTarget(name: "xml") { bytes in
        requireReading(bytes)
    } seeds: {
        let file = try XMLPropertyListWriter.write(sampleMembers)
        let text = String(decoding: file, as: UTF8.self)
        let flat = text.replacingOccurrences(of: "\n", with: "").replacingOccurrences(of: "\t", with: "")
        let utf16 = "\u{FEFF}\(flat)".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let parts = [
            "<!DOCTYPE plist [ <!ENTITY a 'b'> <!-- c --> ]><plist version='1.0'><string>&#x41;&#13;&a;</string></plist>",
            "<dict><key>a&amp;</key><string><![CDATA[ <x> ]]> &lt;</string><key>SettingsKit-escaped:%01</key><real>nan</real>"
                + "<key>b</key><date>-0001-02-29T23:59:60Z</date><key>c</key><integer>0xFFFFFFFFFFFFFFFF</integer></dict>",
            "<plist><array><data>\nQUJD\n</data><integer>-9223372036854775808</integer><true></true></array></plist>",
        ]
        return [Array(file), Array(flat.utf8), utf16] + parts.map { Array($0.utf8) }
    }

    /// A file in the binary format: the bytes themselves, or objects that a right table is put behind, so that the search
    /// does not end at the trailer.
    static let binaryPropertyList = FuzzTarget(name: "binary") { bytes in
        var input = FuzzInput(bytes)
        let isWhole = input.byte() & 1 == 0
        requireReading(Array("bplist00".utf8) + (isWhole ? input.remainder : binaryObjects(&input)))
    } seeds: {
        let object = foundationObject(.dictionary(sampleMembers))
        let file = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        // A dictionary with a key and two arrays, one in the other.
        let built: [UInt8] = [1, 4, 0, 5, 0xD1, 1, 2, 2, 0x51, 0x61, 3, 0xA2, 3, 3, 2, 0xA1, 0]
        return [[0] + Array(file.dropFirst(8)), built]
    }

    /// Objects as the input has them, with a table and a trailer in which at most one number is wrong.
    private static func binaryObjects(_ input: inout FuzzInput) -> [UInt8] {
        let wrong = input.choice(8)
        let number = input.integer()
        var objects: [[UInt8]] = []
        for _ in 0..<(1 + input.choice(16)) where !input.isAtEnd { objects.append(input.bytes()) }
        var output = objects.flatMap { $0 }
        let tableOffset = UInt64(8 + output.count)
        var offset = UInt64(8)
        for (index, object) in objects.enumerated() {
            let entry = wrong == 4 && index == objects.count / 2 ? number : offset
            output += [UInt8(truncatingIfNeeded: entry >> 8), UInt8(truncatingIfNeeded: entry)]
            offset += UInt64(object.count)
        }
        output += [0, 0, 0, 0, 0, 0, wrong == 5 ? UInt8(truncatingIfNeeded: number) : 2]
        output.append(wrong == 6 ? UInt8(truncatingIfNeeded: number) : 1)
        for (index, field) in [UInt64(objects.count), 0, tableOffset].enumerated() {
            withUnsafeBytes(of: (wrong == index + 1 ? number : field).bigEndian) { output += $0 }
        }
        return output
    }

    /// The bytes of a value, and the native value in whose place they come.
    static let json = FuzzTarget(name: "json") { bytes in
        var input = FuzzInput(bytes)
        let old = NativeValue.value(for: Data(input.file()))
        let text = Data(input.remainder)
        for value in [NativeValue.value(for: text), NativeValue.value(for: text, resembling: old)] {
            require(NativeValue.bytes(of: value) == text, "the bytes of a value come back")
            requireRoundTrip(value)
        }
    } seeds: {
        let bodies = [
            "{\"a\":[1,-2,3.5,true,false,\"x\"],\"b\":{\"c\":\"d\"}}", "\"\\u0001\\n\\\"\u{E9}\u{1F600}\"", "-0",
            "1e-7", "null", "18446744073709551615", "-9223372036854775809", "[[[[]]],{}]", "\"\\ud83d\\ude00\"",
            "5e+300", "700000000", "\"QUI=\"",
        ]
        return bodies.map { FuzzInput.file("{\"a\":[1.5,2],\"b\":{\"c\":1}}".utf8) + Array($0.utf8) }
    }

    private static func requireReading(_ bytes: [UInt8]) {
        let data = Data(bytes)
        do throws(PropertyListError) {
            let value = try PropertyListReader.read(data)
            if case .dictionary(let members) = value { require(!members.hasRepeatedKey(), "each key is read once") }
            requireRoundTrip(value)
        } catch {
            require(!error.description.isEmpty, "an error is described")
            if let offset = error.offset { require((0...bytes.count).contains(offset), "an error lies in the file") }
        }
    }

    /// What holds for every value that was read: it can be written, or is refused in words, and is the same when it is read again.
    private static func requireRoundTrip(_ value: PropertyListValue) {
        let isWritable = XMLPropertyListWriter.canRepresent(value)
        do throws(PropertyListError) {
            let file = try XMLPropertyListWriter.write([PropertyListMember(key: "value", value: value)])
            require(isWritable, "what is written can be represented")
            let written = PropertyListValue.dictionary([.init(key: "value", value: asWritten(value))])
            let read = try PropertyListReader.read(file)
            require(isSame(read, written), "what is written is read")
        } catch {
            require(!isWritable, "a value that can be represented is written; got \(error)")
        }
    }

    /// Compares by the bytes that the values stand for, too: two not-a-numbers are the same, and strings differ that only look
    /// the same.
    private static func isSame(_ one: PropertyListValue, _ other: PropertyListValue) -> Bool {
        switch (one, other) {
        case (.array(let one), .array(let other)):
            one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
        case (.dictionary(let one), .dictionary(let other)):
            one.count == other.count
                && zip(one, other).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && isSame($0.value, $1.value) }
        case (.real(let one), .real(let other)): one.bitPattern == other.bitPattern || one.isNaN && other.isNaN
        case (.date(let one), .date(let other)): one == other || one.isNaN && other.isNaN
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        default: one == other
        }
    }

    /// The value as it comes back when it was written: dates are whole seconds, or reals.
    private static func asWritten(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .date(let seconds) where GregorianDate.writableSeconds.contains(seconds): .date(seconds.rounded(.down))
        case .date(let seconds): .real(seconds)
        case .array(let values): .array(values.map(asWritten))
        case .dictionary(let members): .dictionary(members.map { .init(key: $0.key, value: asWritten($0.value)) })
        default: value
        }
    }
}
