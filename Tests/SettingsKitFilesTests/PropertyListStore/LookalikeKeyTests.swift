import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

/// Other programs find keys different that Swift finds equal.
@Suite("Keys that differ only in their Unicode normalization")
struct LookalikeKeyTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    private let setting = Setting<Int>(composed, in: .defaults, default: 0)

    /// The members of the file's dictionary, by the UTF-8 bytes of their keys.
    private static func members(of path: String, in key: String? = nil) throws -> [[UInt8]: PropertyListValue] {
        var members = try PropertyListReader.readDictionary(Data(contentsOf: URL(filePath: path)))
        if let key {
            guard case .dictionary(let inner) = members.first(where: { $0.key == key })?.value else { return [:] }
            members = inner
        }
        return Dictionary(members.map { (Array($0.key.utf8), $0.value) }, uniquingKeysWith: { $1 })
    }

    /// Expects the composed key, and the decomposed one, to have these numbers.
    private static func expect(
        _ numbers: [Int64], in path: String, under key: String? = nil, at location: SourceLocation = #_sourceLocation
    ) throws {
        let members = try members(of: path, in: key)
        let found = [composed, decomposed].map { members[Array($0.utf8)] }
        #expect(found == numbers.map { .integer($0) }, sourceLocation: location)
    }

    private static func file(_ pairs: [(String, Int)]) -> Data {
        let body = pairs.map { "<key>\($0)</key><integer>\($1)</integer>" }.joined()
        return Data("<plist><dict>\(body)<key>other</key><true/></dict></plist>".utf8)
    }

    /// Opens the store, and does something with a service over it.
    private func with(_ path: String, _ body: (SettingsService) throws -> Void) throws {
        let (service, problems) = SettingsService.over(try open(path))
        try body(service)
        try service.bringUpToDate()
        #expect(problems.all.isEmpty)
    }

    @Test("Both stay in the file when another setting is set, and the last one counts", arguments: [true, false])
    func stay(isComposedLast: Bool) throws {
        try withPropertyList { path in
            let pairs = [(Self.composed, 1), (Self.decomposed, 2)]
            try Self.file(isComposedLast ? pairs.reversed() : pairs).write(to: URL(filePath: path))
            for number in 1...3 {
                try with(path) { service in
                    #expect(service.get(setting) == (isComposedLast ? 1 : 2))
                    service.set(Setting<Int>("number", in: .defaults, default: 0), to: number)
                }
            }
            try Self.expect([1, 2], in: path)
        }
    }

    @Test("A set changes the one that counts, under its key, and leaves the other; a reset removes both")
    func change() throws {
        try withPropertyList { path in
            try Self.file([(Self.composed, 1), (Self.decomposed, 2)]).write(to: URL(filePath: path))
            try with(path) { $0.set(setting, to: 3) }
            try Self.expect([1, 3], in: path)
            try with(path) { service in
                #expect(service.get(setting) == 3)
                service.reset(setting)
            }
            #expect(try Self.members(of: path).keys.allSatisfy { $0 == Array("other".utf8) })
            try with(path) { #expect($0.get(setting) == 0) }
        }
    }

    @Test("An edit of either while a process has the file open is taken over, and both stay")
    func edit() throws {
        try withPropertyList { path in
            try Self.file([(Self.composed, 1), (Self.decomposed, 2)]).write(to: URL(filePath: path))
            try with(path) { service in
                service.set(Setting<Int>("number", in: .defaults, default: 0), to: 1)
                try service.bringUpToDate()
                for pairs in [[(Self.composed, 5), (Self.decomposed, 2)], [(Self.composed, 5), (Self.decomposed, 6)]] {
                    try Self.file(pairs).write(to: URL(filePath: path), options: .atomic)
                    try service.bringUpToDate()
                    #expect(service.get(setting) == pairs[1].1)
                }
                service.set(Setting<Int>("number", in: .defaults, default: 0), to: 2)
            }
            try Self.expect([5, 6], in: path)
        }
    }

    @Test("Both stay in a dictionary inside the file")
    func nested() throws {
        try withPropertyList { path in
            let inner =
                "<key>\(Self.composed)</key><integer>1</integer><key>\(Self.decomposed)</key><integer>2</integer>"
            try Data("<plist><dict><key>inner</key><dict>\(inner)</dict></dict></plist>".utf8).write(
                to: URL(filePath: path))
            try with(path) { service in
                let dictionary = Setting<[String: Int]>("inner", in: .defaults, default: [:])
                #expect(service.get(dictionary).count == 1)
                service.set(Setting<Int>("number", in: .defaults, default: 0), to: 1)
            }
            try Self.expect([1, 2], in: path, under: "inner")
        }
    }

    @Test("A key keeps its spelling when its setting, which another program spells differently, is set")
    func spelling() throws {
        try withPropertyList { path in
            try Self.file([(Self.decomposed, 2)]).write(to: URL(filePath: path))
            try with(path) { $0.set(setting, to: 3) }
            #expect(try Self.members(of: path)[Array(Self.decomposed.utf8)] == .integer(3))
        }
    }

    @Test("An edit that changes nothing but the normalization of a key is kept", arguments: [true, false])
    func editedSpelling(isSetAfterwards: Bool) throws {
        try withPropertyList { path in
            try Self.file([(Self.composed, 2)]).write(to: URL(filePath: path))
            try with(path) { service in
                service.set(Setting<Int>("number", in: .defaults, default: 0), to: 1)
                try service.bringUpToDate()
                try Self.file([(Self.decomposed, 2)]).write(to: URL(filePath: path), options: .atomic)
                try service.bringUpToDate()
                service.set(Setting<Int>("number", in: .defaults, default: 0), to: 2)
                if isSetAfterwards { service.set(setting, to: 3) }
            }
            let keys = try Self.members(of: path).keys
            #expect(keys.contains(Array(Self.decomposed.utf8)) && !keys.contains(Array(Self.composed.utf8)))
        }
    }

    @Test("An edit that changes nothing but the normalization of a string is kept")
    func string() throws {
        try withPropertyList { path in
            func write(_ text: String) throws {
                try Data("<plist><dict><key>text</key><string>\(text)</string></dict></plist>".utf8)
                    .write(to: URL(filePath: path), options: .atomic)
            }
            try write(Self.composed)
            try with(path) { service in
                service.set(Setting<Int>("number", in: .defaults, default: 0), to: 1)
                try service.bringUpToDate()
                try write(Self.decomposed)
                try service.bringUpToDate()
                service.set(Setting<Int>("number", in: .defaults, default: 0), to: 2)
            }
            guard case .string(let text) = try Self.members(of: path)[Array("text".utf8)] else {
                Issue.record("There is no text.")
                return
            }
            #expect(text.utf8.elementsEqual(Self.decomposed.utf8))
        }
    }
}
