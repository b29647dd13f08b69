import Foundation
import Testing

@testable import SettingsKitCore

@Suite("The members of a JSON object")
struct JSONMembersTests {
    /// Anything that JSON holds.
    indirect enum Tree: Codable, Equatable {
        case null, flag(Bool), number(Int), fraction(Double), text(String), list([Tree]), members([String: Tree])

        init(using generator: inout SeededGenerator, depth: Int) {
            switch Int.random(in: 0..<(depth == 0 ? 5 : 9), using: &generator) {
            case 0: self = .null
            case 1: self = .flag(.random(using: &generator))
            case 2:
                self = .number(Int(truncatingIfNeeded: generator.next()) >> Int.random(in: 0..<64, using: &generator))
            case 3: self = .fraction(Double.random(in: -1e9...1e9, using: &generator) + 0.5)
            case 4: self = .text(Self.text(using: &generator))
            case 5, 6:
                self = .list(
                    (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                        Tree(using: &generator, depth: depth - 1)
                    })
            default: self = .members(Self.members(using: &generator, depth: depth - 1))
            }
        }

        static func members(using generator: inout SeededGenerator, depth: Int) -> [String: Tree] {
            var members: [String: Tree] = [:]
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                members[text(using: &generator)] = Tree(using: &generator, depth: depth)
            }
            return members
        }

        static func text(using generator: inout SeededGenerator) -> String {
            let pieces = [
                "\"", "\\", "{", "}", "[", "]", ",", ":", "\\\"", "a", "é", "e\u{301}", "👩‍👩‍👧", "\u{0}", "\n", "\u{7F}",
                "/",
                "null", " ", "\u{2028}",
            ]
            return (0..<Int.random(in: 0...6, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else if let fraction = try? container.decode(Double.self) {
                self = .fraction(fraction)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let list = try? container.decode([Tree].self) {
                self = .list(list)
            } else {
                self = .members(try container.decode([String: Tree].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .flag(let flag): try container.encode(flag)
            case .number(let number): try container.encode(number)
            case .fraction(let fraction): try container.encode(fraction)
            case .text(let text): try container.encode(text)
            case .list(let list): try container.encode(list)
            case .members(let members): try container.encode(members)
            }
        }
    }

    @Test(
        "The members of a JSON object are those that a decoder finds, whatever the names and values", arguments: 0..<40)
    func agreement(round: Int) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let tree = Tree.members(using: &generator, depth: 4)
            let encoder = JSONEncoder()
            if Bool.random(using: &generator) { encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes] }
            let json = try encoder.encode(tree)
            let members = try JSONMembers.members(of: json)
            #expect(members.count == tree.count, "seed \(seed)")
            for member in members {
                let value = try JSONDecoder().decode(Tree.self, from: member.value)
                #expect(value == tree[member.name], "seed \(seed)")
                // The bytes are those of the member alone.
                let alone = try JSONDecoder().decode(
                    [Tree].self, from: Data("[".utf8) + member.value + Data("]".utf8))
                #expect(alone == [value], "seed \(seed)")
            }
        }
    }

    @Test("There are none in what is no object", arguments: ["[]", "1", "\"{}\"", "null", "", "[{}]", "{", "}"])
    func noObject(json: String) {
        #expect(throws: JSONMembers.NoObject.self) { try JSONMembers.members(of: Data(json.utf8)) }
    }

    @Test("An empty object has none")
    func empty() throws {
        #expect(try JSONMembers.members(of: Data("{}".utf8)).isEmpty)
    }
}
