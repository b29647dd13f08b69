import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

/// Each row of the table in the article *The property-list file*.
@Suite("The files that a store finds when it opens", .ownThreads)
struct OpeningTests {
    enum Log: CaseIterable, Sendable { case missing, unprinted, printed, damaged, newer }

    enum List: CaseIterable, Sendable { case missing, known, edited, invalid, foreign, unreadable }

    struct Row: Sendable, CustomTestStringConvertible {
        let log: Log
        let list: List
        /// No values, where the store is refused.
        var values: [String: String]?
        var codes: [SettingsError.Code] = []
        var testDescription: String { "\(log) log, \(list) list" }
    }

    private static let all = ["p": "1", "u": "2"]
    private static let edit = ["p", "u", "o"].map { "<key>\($0)</key><integer>9</integer>" }.joined()

    static let rows: [Row] = [
        Row(log: .missing, list: .missing, values: [:]),
        Row(log: .missing, list: .edited, values: ["p": "9", "u": "9", "o": "9"]),
        Row(log: .missing, list: .invalid, values: [:], codes: [.damaged]),
        Row(log: .missing, list: .foreign),
        Row(log: .missing, list: .unreadable),
        Row(log: .unprinted, list: .missing, values: all),
        Row(log: .unprinted, list: .edited, values: ["p": "1", "u": "2", "o": "9"]),
        Row(log: .unprinted, list: .invalid, values: all, codes: [.damaged]),
        Row(log: .unprinted, list: .unreadable, values: all, codes: [.readFailed]),
        Row(log: .printed, list: .missing, values: ["u": "2"]),
        Row(log: .printed, list: .known, values: all),
        Row(log: .printed, list: .edited, values: ["p": "9", "u": "2", "o": "9"]),
        Row(log: .printed, list: .invalid, values: all, codes: [.damaged]),
        Row(log: .printed, list: .foreign, values: all, codes: [.damaged]),
        Row(log: .printed, list: .unreadable, values: all, codes: [.readFailed]),
        Row(log: .damaged, list: .missing, values: ["u": "2"], codes: [.damaged]),
        Row(log: .damaged, list: .known, values: all, codes: [.damaged]),
        Row(log: .damaged, list: .edited, values: ["p": "9", "u": "2", "o": "9"], codes: [.damaged]),
        Row(log: .damaged, list: .invalid, values: ["u": "2"], codes: [.damaged, .damaged]),
        Row(log: .damaged, list: .unreadable, values: ["u": "2"], codes: [.readFailed, .damaged]),
        Row(log: .newer, list: .missing),
        Row(log: .newer, list: .known, values: ["p": "1"], codes: [.logUnavailable]),
        Row(log: .newer, list: .edited, values: ["p": "9", "u": "9", "o": "9"], codes: [.logUnavailable]),
        Row(log: .newer, list: .invalid),
        Row(log: .newer, list: .unreadable),
    ]

    private let disk: SimulatedDisk
    private static let log = Start.path + "-log"

    init() throws { disk = try emptyDisk() }

    private func prepare(_ log: Log, _ list: List) throws {
        let process = disk.process()
        let store = try quietStore(process)
        try store.set(key("p"), to: Data("1".utf8))
        if log != .unprinted { try store.bringUpToDate() }
        try store.set(key("u"), to: Data("2".utf8))
        process.kill()
        switch log {
        case .missing: try disk.remove(Self.log)
        case .unprinted, .printed: break
        case .damaged:
            var bytes = try #require(disk.contents(of: Self.log))
            bytes[try #require(bytes.range(of: Data(#"{"key":"p""#.utf8))).upperBound + 5] ^= 1
            try disk.replace(Self.log, with: bytes)
        case .newer: try disk.replace(Self.log, with: Data(checkedLogLine(#""settings":"log","version":2"#)))
        }
        if list != .known, disk.contents(of: Start.path) != nil { try disk.remove(Start.path) }
        switch list {
        case .missing, .known: break
        case .edited: try disk.write(Data(xml(Self.edit).utf8), to: Start.path)
        case .invalid: try disk.write(Data("<plist><dict>".utf8), to: Start.path)
        case .foreign: try disk.write(Data("{\"a\": 1}".utf8), to: Start.path)
        case .unreadable: try disk.makeDirectory(Start.path)
        }
    }

    @Test(
        "A store opens with the values that its files have, reports what is wrong, and destroys nothing",
        arguments: rows)
    func opens(row: Row) throws {
        try prepare(row.log, row.list)
        let (log, list) = (disk.contents(of: Self.log), disk.contents(of: Start.path))
        guard let values = row.values?.mapValues({ Data($0.utf8) }) else {
            #expect(thrownCode { try quietStore(disk.process()) } == .storeUnavailable)
            #expect(disk.contents(of: Self.log) == log && disk.contents(of: Start.path) == list)
            return
        }
        let store = try quietStore(disk.process())
        let (service, problems) = SettingsService.over(store)
        #expect(store.values == values)
        #expect(problems.codes == row.codes)
        let new = Setting<Int>("new", in: .defaults, default: 0)
        if row.log == .newer {
            #expect(thrownCode { try service.save(new, to: 3) } == .logUnavailable)
            #expect(disk.contents(of: Self.log) == log && disk.contents(of: Start.path) == list)
            return
        }
        try service.save(new, to: 3)
        let expected = values.merging(["new": Data("3".utf8)]) { $1 }
        if row.list == .unreadable {
            #expect(thrownCode { try service.bringUpToDate() } == .notSaved)
        } else {
            try service.bringUpToDate()
            #expect(try disk.storedValues() == expected)
        }
        #expect(try quietStore(disk.process()).values == expected)
        func aside(_ name: String) -> Data? {
            disk.names(in: Start.directory).first { $0.hasPrefix(name) }.flatMap {
                disk.contents(of: Start.directory + "/" + $0)
            }
        }
        let isListDamaged = row.list == .invalid || row.list == .foreign
        #expect(aside("Settings.plist.damaged-") == (isListDamaged ? list : nil))
        if row.log == .damaged {
            // A new log replaces it when the list can be read.
            let kept = aside("Settings.plist-log.damaged-") ?? disk.contents(of: Self.log)
            #expect(try kept?.starts(with: #require(log)) == true)
        }
        let isReset = row.log == .printed && row.list == .missing
        #expect(aside("Settings.plist-log.stale-") == (isReset ? log : nil))
        if isReset { #expect(problems.codes == [.removedList]) }
    }
}
