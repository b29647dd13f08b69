import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

@Suite("Members of a property list that are set with their types", .ownThreads)
struct TypedMembersTests {
    private static let members = [
        PropertyListMember(key: "amount", value: .real(1)), PropertyListMember(key: "count", value: .integer(1)),
        PropertyListMember(
            key: "limits",
            value: .dictionary([
                PropertyListMember(key: "from", value: .date(60)),
                PropertyListMember(key: "seals", value: .array([.data(Data([0, 1, 2])), .string("AAEC")])),
            ])), PropertyListMember(key: "when", value: .date(5)),
    ]

    private static let when = Data("\"2001-01-01T00:00:05Z\"".utf8)

    private static func file(_ disk: SimulatedDisk) throws -> [PropertyListMember] {
        try PropertyListReader.readDictionary(try #require(disk.contents(of: Start.path)))
    }

    @Test("Their types survive the end of the process, wherever it dies")
    func killed() throws {
        for synchronizes in [false, true] {
            let disk = try emptyDisk()
            let process = disk.process()
            let store = try quietStore(process)
            try store.set(key("old"), to: Data("1".utf8))
            try store.set(Self.members, removing: ["old"])
            if synchronizes { try store.bringUpToDate() }
            process.kill()
            let other = try quietStore(disk.process())
            #expect(other.keys().sorted() == Self.members.map(\.key))
            for member in Self.members { #expect(other.nativeValue(of: member.key) == member.value, "\(member.key)") }
            try other.set(key("z"), to: Data("true".utf8))
            try other.bringUpToDate()
            #expect(try Self.file(disk) == Self.members + [PropertyListMember(key: "z", value: .boolean(true))])
        }
    }

    @Test("A process that was running follows them, and writes them into the file")
    func followed() throws {
        let disk = try emptyDisk()
        let running = try quietStore(disk.process())
        try running.set(key("when"), to: Self.when)
        try running.bringUpToDate()
        let changes = Box<[String]>([])
        let subscription = running.feed?.observe { published, _ in changes.value += published.map(\.name) }
        let process = disk.process()
        try quietStore(process).set(Self.members, removing: [])
        process.kill()
        try running.refresh()
        // The bytes of this one are the same.
        #expect(changes.value.sorted() == ["amount", "count", "limits"])
        try running.set(key("amount"), to: Data("2".utf8))
        try running.bringUpToDate()
        var expected = Self.members
        expected[0].value = .real(2)
        #expect(try Self.file(disk) == expected)
        withExtendedLifetime(subscription) {}
    }

    @Test("A log that is rewritten keeps them")
    func rewritten() throws {
        let disk = try emptyDisk()
        let process = disk.process()
        let store = try quietStore(process)
        try store.set(Self.members, removing: [])
        let log = try process.status(of: Start.path + "-log", followingLink: false)?.inode
        try store.list.log.compact(waiting: .zero)
        #expect(try process.status(of: Start.path + "-log", followingLink: false)?.inode != log)
        process.kill()
        let other = try quietStore(disk.process())
        for member in Self.members { #expect(other.nativeValue(of: member.key) == member.value, "\(member.key)") }
    }

    @Test("What is so already stays, and what is too large is refused")
    func unchanged() throws {
        let disk = try emptyDisk()
        var limits = PropertyListStoreLimits()
        limits.contents = 1_000
        let store = try PropertyListStore(
            path: Start.path, fileSystem: disk.process(), writingDelay: .seconds(86_400), limits: limits)
        try store.set(Self.members, removing: [])
        let size = disk.contents(of: Start.path + "-log")?.count
        try store.set(Self.members, removing: ["nothing"])
        #expect(disk.contents(of: Start.path + "-log")?.count == size)
        let error = #expect(throws: SettingsError.self) {
            try store.set([PropertyListMember(key: "a", value: .data(Data(count: 2_000)))], removing: ["when"])
        }
        #expect(error?.code == .tooLarge && store.get(key("when")) == Self.when)
    }
}
