import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A property list that is printed from a log", .ownThreads)
struct PrintedPropertyListTests {
    private let disk: SimulatedDisk

    init() throws { disk = try emptyDisk() }

    private func open() throws -> PrintedPropertyList {
        var setup = PropertyListSetup(path: Start.path, fileSystem: disk.process())
        (setup.isWatching, setup.writingDelay, setup.trust) = (false, .seconds(86_400), .zero)
        setup.editingTime = .zero
        return try PrintedPropertyList(setup)
    }

    private func set(_ list: PrintedPropertyList, _ name: String, _ value: String?) throws {
        try list.change { _ in [LogChange(name: name, data: value.map { Data($0.utf8) })] }
    }

    private func write(_ members: String) throws { try disk.replace(Start.path, with: Data(xml(members).utf8)) }

    private func values(_ list: PrintedPropertyList) -> [String: String] {
        list.log.storedValues.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    @Test("What a person writes wins, but for names that were changed after the print", arguments: [false, true])
    func edit(isKilled: Bool) throws {
        let first = try open()
        var list = first
        for name in ["a", "b", "c"] { try set(list, name, "1") }
        try list.synchronize(isReadOnly: false, forOthers: true)
        try set(list, "a", "2")
        try set(list, "b", nil)
        // The first one prints nothing more.
        if isKilled { list = try open() }
        defer { withExtendedLifetime(first) {} }
        try write("<key>a</key><integer>9</integer><key>b</key><integer>9</integer><key>d</key><integer>9</integer>")
        try list.refresh()
        #expect(values(list) == ["a": "2", "d": "9"])
        #expect(try values(open()) == values(list))
        try list.synchronize(isReadOnly: false, forOthers: true)
        #expect(try disk.storedValues() == list.log.storedValues)
    }

    @Test("An edit is imported once, and an old list that is put back is an edit")
    func putBack() throws {
        let (list, other) = (try open(), try open())
        try set(list, "a", "1")
        try list.synchronize(isReadOnly: false, forOthers: true)
        let old = try #require(disk.contents(of: Start.path))
        try set(list, "a", "2")
        try list.synchronize(isReadOnly: false, forOthers: true)
        try disk.replace(Start.path, with: old)
        try list.synchronize(isReadOnly: false)
        try other.refresh()
        #expect(values(list) == ["a": "1"] && values(other) == values(list))
        let size = disk.contents(of: Start.path + "-log")?.count
        try other.synchronize(isReadOnly: false)
        try list.synchronize(isReadOnly: false)
        #expect(disk.contents(of: Start.path + "-log")?.count == size)
    }

    @Test("A list that is removed while a process runs is printed again; before it is opened, its settings are reset")
    func removed() throws {
        let list = try open()
        try set(list, "a", "1")
        try list.synchronize(isReadOnly: false, forOthers: true)
        try disk.remove(Start.path)
        try list.synchronize(isReadOnly: false, forOthers: true)
        #expect(try disk.storedValues() == ["a": Data("1".utf8)])
        try set(list, "b", "1")
        try disk.remove(Start.path)
        let next = try open()
        #expect(values(next) == ["b": "1"])
        try next.synchronize(isReadOnly: false, forOthers: true)
        #expect(try disk.storedValues() == ["b": Data("1".utf8)])
        #expect(disk.names(in: Start.directory).contains { $0.hasPrefix("Settings.plist-log.stale-") })
    }

    @Test("A list that cannot be parsed changes no value, and is kept aside by the next print")
    func damaged() throws {
        let list = try open()
        try set(list, "a", "1")
        try list.synchronize(isReadOnly: false, forOthers: true)
        try disk.replace(Start.path, with: Data("<plist><dict><key>a".utf8))
        let problems = Recorder<SettingsError.Code>()
        let token = list.log.feed.observeErrors { problems.append($0.code) }
        defer { token.cancel() }
        try list.synchronize(isReadOnly: false, forOthers: true)
        #expect(values(list) == ["a": "1"] && problems.all == [.damaged])
        try set(list, "b", "1")
        try list.synchronize(isReadOnly: false, forOthers: true)
        #expect(try disk.storedValues()?.count == 2)
        #expect(disk.names(in: Start.directory).contains { $0.hasPrefix("Settings.plist.damaged-") })
    }

    @Test("The intact lines of a damaged log are used with the list's values over them, in a new log")
    func damagedLog() throws {
        let list = try open()
        for name in ["a", "b"] { try set(list, name, "1") }
        try list.synchronize(isReadOnly: false, forOthers: true)
        try set(list, "c", "1")
        var bytes = try #require(disk.contents(of: Start.path + "-log"))
        let line = try #require(bytes.range(of: Data("{\"key\":\"a\"".utf8)))
        bytes[line.upperBound + 5] ^= 1
        try disk.replace(Start.path + "-log", with: bytes)
        let next = try open()
        #expect(values(next) == ["a": "1", "b": "1", "c": "1"])
        try set(next, "d", "1")
        try next.synchronize(isReadOnly: false, forOthers: true)
        #expect(!next.log.mustCompact && values(next).count == 4)
        #expect(try values(open()) == values(next))
    }

    @Test("A list that was there first is imported, and dates and reals keep their kinds")
    func kinds() throws {
        try write("<key>d</key><date>2020-01-02T03:04:05Z</date><key>s</key><string>x</string>")
        let list = try open()
        #expect(disk.names(in: Start.directory) == ["Settings.plist"])
        try set(list, "a", "1")
        try list.synchronize(isReadOnly: false, forOthers: true)
        try list.log.compact(waiting: .zero)
        let text = String(decoding: try #require(disk.contents(of: Start.path)), as: UTF8.self)
        #expect(text.contains("<date>2020-01-02T03:04:05Z</date>"))
        #expect(try open().log.withContents { $0.value(named: "d") } == list.log.withContents { $0.value(named: "d") })
    }
}
