import Foundation

@testable import SettingsKitFiles

extension FuzzTarget {
    /// A file in the XML format.
    static let xmlPropertyList = FuzzTarget(name: "xml") { bytes in
        try requireReading(bytes)
    } seeds: {
        let file = try XMLPropertyListWriter.write(sampleMembers, comment: "a comment")
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
        try requireReading(Array("bplist00".utf8) + (isWhole ? input.remainder : binaryObjects(&input)))
    } seeds: {
        let object = foundationObject(.dictionary(sampleMembers))
        let file = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let members = Array(file.dropFirst(8))
        // A dictionary with a key and two arrays, one in the other.
        let built: [UInt8] = [1, 4, 0, 0, 0, 5, 0xD1, 1, 2, 2, 0x51, 0x61, 3, 0xA2, 3, 3, 2, 0xA1, 0]
        return [[0] + members, built]
    }

    private static func requireReading(_ bytes: [UInt8]) throws {
        let data = Data(bytes)
        let recovered = PropertyListReader.recover(data)
        require(!recovered.hasRepeatedKey(), "each key is recovered once")
        do throws(PropertyListError) {
            let value = try PropertyListReader.read(data)
            if case .dictionary(let members) = value {
                require(isSame(recovered, members), "an intact file is recovered whole")
            } else {
                require(recovered.isEmpty, "what is no dictionary has no members")
            }
            do { try requireRoundTrip(value) } catch { fatalError("a value that was read: \(error)") }
        } catch {
            require(!error.description.isEmpty, "an error is described")
            if let offset = error.offset { require((0...bytes.count).contains(offset), "an error lies in the file") }
            for member in recovered.prefix(3) {
                do { try requireRoundTrip(member.value) } catch { fatalError("a recovered value: \(error)") }
            }
        }
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
}
