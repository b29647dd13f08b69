import Foundation

@testable import SettingsKitFiles

extension FuzzTarget {
    /// The intact part of an XML file with one mistake in its structure: nothing is found that was not written, and in an
    /// indented file everything before the mistake but for its neighbor.
    static let recovery = FuzzTarget(name: "recovery") { bytes in
        var input = FuzzInput(bytes)
        let isIndented = input.byte() & 1 == 0
        let mistake = Mistake(&input)
        let members = input.members().filter { XMLPropertyListWriter.canRepresent($0.value) }
        let file = try XMLPropertyListWriter.write(members, comment: "a comment")
        let written = try PropertyListReader.readDictionary(file)
        let text = isIndented ? Array(file) : withoutIndentation(Array(file))
        guard let start = text.firstRange(of: Array("<dict>".utf8))?.upperBound else { return }
        let (damaged, place) = mistake.made(in: text, from: start)
        let recovered = PropertyListReader.recover(Data(damaged))
        for member in recovered {
            let original = written.first { $0.key.utf8.elementsEqual(member.key.utf8) }
            require(
                original.map { isSame($0.value, member.value) } == true, "what is recovered was written: \(mistake)")
        }
        guard isIndented else { return }
        // Each pair begins at a key of the outermost dictionary.
        let pairs =
            String(decoding: text[..<min(place, text.count)], as: UTF8.self)
            .components(separatedBy: "\n\t<key>").count - 1
        // A mistyped key may look like an empty one, which is then thought to be damaged.
        for member in written.prefix(max(0, pairs - 2)) where !member.key.isEmpty {
            require(
                recovered.contains { $0.key == member.key },
                "what stands before is recovered: \(mistake)\n\(String(decoding: damaged, as: UTF8.self))")
        }
    } seeds: {
        var seeds: [[UInt8]] = []
        let members: [UInt8] = [
            9, 1, 0x61, 0, 0, 1, 0x62, 1, 4, 1, 0x63, 11, 2, 1, 0x78, 9, 2, 7, 1, 0x79, 6, 3, 1, 2, 3, 1, 0x7A, 0, 1, 1,
            0x64,
            7, 2, 0x65, 0x66, 1, 0x65, 9, 1, 3, 12, 1, 0x66, 11, 1, 1, 0x67, 1, 1, 1, 0x68, 5, 1,
        ]
        for kind in UInt8(0)..<UInt8(Mistake.Kind.allCases.count) {
            for place in [UInt8(3), 9, 20, 31] {
                seeds.append([0, kind, 0, 0, place, 0, 1] + members)
                seeds.append([1, kind, 0, 0, place, 0, 1] + members)
            }
        }
        return seeds
    }

    /// The file on one line, its elements' texts untouched.
    private static func withoutIndentation(_ file: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var index = 0
        while index < file.count {
            output.append(file[index])
            index += 1
            guard output.last == UInt8(ascii: ">") else { continue }
            let blank = file[index...].prefix { $0 == 0x0A || $0 == 0x09 }
            // Between two tags; white space in a string ends before its end tag, which is no element's beginning.
            let end = index + blank.count
            guard end < file.count, file[end] == UInt8(ascii: "<"), blank.first == 0x0A else { continue }
            if isTextElement(endingAt: index, in: file) { continue }
            index = end
        }
        return output
    }

    /// Whether the tag that ends before `index` begins an element of text.
    private static func isTextElement(endingAt index: Int, in file: [UInt8]) -> Bool {
        ["<string>", "<key>"].contains { file[..<index].suffix($0.utf8.count).elementsEqual($0.utf8) }
    }
}

/// One mistake in the structure of a file, of the kinds that people and failing disks make.
private struct Mistake: CustomStringConvertible {
    enum Kind: CaseIterable {
        case letterChanged, tagRemoved, tagDoubled, slashToggled, emptied, bracketRemoved, cut, zeroed, commentBegun,
            commentEnded, text, tail
    }

    let kind: Kind
    let number: Int
    let length: Int
    let description: String

    init(_ input: inout FuzzInput) {
        kind = Kind.allCases[input.choice(Kind.allCases.count)]
        number = input.place(1 << 24)
        length = 1 + input.place(1 << 16) % 200
        description = "\(kind) \(number) \(length)"
    }

    /// The text with the mistake in it, behind `start`, and where it is.
    func made(in text: [UInt8], from start: Int) -> (text: [UInt8], place: Int) {
        var tags: [Range<Int>] = []
        var index = start
        while let tag = text[index...].firstIndex(of: UInt8(ascii: "<")) {
            let end = text[tag...].firstIndex(of: UInt8(ascii: ">")) ?? tag
            tags.append(tag..<(end + 1))
            index = end + 1
        }
        if kind == .text || kind == .commentEnded {
            // In the text of an element it would only be another text.
            tags.removeAll { tag in
                text[tag].starts(with: "</".utf8)
                    && !["</dict>", "</array>"].contains { text[tag].elementsEqual($0.utf8) }
            }
        }
        let tag = tags[number % tags.count]
        var text = text
        switch kind {
        case .letterChanged:
            let letters = tag.filter { text[$0] &- 0x61 < 26 }
            text[letters[length % letters.count]] = UInt8(ascii: "q")
        case .tagRemoved where text[tag.upperBound - 2] != UInt8(ascii: "/"):
            text.removeSubrange(tag)
        case .tagDoubled where text[tag.upperBound - 2] != UInt8(ascii: "/"):
            text.insert(contentsOf: text[tag], at: tag.lowerBound)
        case .slashToggled:
            if text[tag.lowerBound + 1] == UInt8(ascii: "/") {
                text.remove(at: tag.lowerBound + 1)
            } else if text[tag.upperBound - 2] == UInt8(ascii: "/") {
                text.remove(at: tag.upperBound - 2)
            } else {
                text.insert(UInt8(ascii: "/"), at: tag.lowerBound + 1)
            }
        case .emptied
        where text[tag.lowerBound + 1] != UInt8(ascii: "/") && text[tag.upperBound - 2] != UInt8(ascii: "/"):
            text.insert(UInt8(ascii: "/"), at: tag.upperBound - 1)
        case .bracketRemoved:
            text.remove(at: length % 2 == 0 ? tag.lowerBound : tag.upperBound - 1)
        case .cut:
            let place = start + number % (text.count - start)
            return (Array(text[..<place]), place)
        case .zeroed:
            let place = start + number % (text.count - start)
            for index in place..<min(place + length, text.count) { text[index] = 0 }
            return (text, place)
        case .commentBegun:
            text.insert(contentsOf: "<!--".utf8, at: tag.lowerBound)
        case .commentEnded:
            text.insert(contentsOf: "-->".utf8, at: tag.lowerBound)
        case .text:
            text.insert(contentsOf: "===".utf8, at: tag.lowerBound)
        case .tail:
            text += text.suffix(length)
        case .tagRemoved, .tagDoubled, .emptied:
            break
        }
        return (text, tag.lowerBound)
    }
}
