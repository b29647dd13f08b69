import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("Records in property lists and shared directories", .timeLimit(Rounds.timeLimit))
struct PropertyListRecordTests {
    struct Parameters: SettingsRecord, Equatable {
        var isDetailed = false
        var apiURL: URL?
        var armedAt: Date?
        var attempts = 3
        var hosts = ["a"]
        var weights: [String: Double] = [:]
        var limit: Int? = 10
        var label = ""

        static let empty = Parameters()
        static let other = Parameters(
            isDetailed: true, apiURL: URL(string: "https://example.org/a?b=c"),
            armedAt: Date(timeIntervalSinceReferenceDate: 1.5), attempts: 4, hosts: ["b", "🎛 <&>"], weights: ["x": 0.5],
            limit: nil, label: "quote \" \u{0} \\")
    }

    @Test("Values are native in the file, and read by another store on it")
    func native() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let store = try open(path)
            let record = try SettingsStorage<Parameters>(name: "network", in: store)
            try record.save(.other)
            try store.bringUpToDate()
            let stored = try members(of: path)
            #expect(stored["network:isDetailed"] == .boolean(true))
            #expect(stored["network:attempts"] == .integer(4))
            #expect(stored["network:apiURL"] == .string("https://example.org/a?b=c"))
            #expect(stored["network:hosts"] == .array([.string("b"), .string("🎛 <&>")]))
            #expect(stored["network:armedAt"] == .string("2001-01-01T00:00:01.5Z"))
            #expect(stored["network:limit"] == .data(Data("null".utf8)))
            #expect(stored.count == 8)
            let (service, problems) = SettingsService.over(try open(path))
            #expect(try SettingsStorage<Parameters>(name: "network", in: service).get() == .other)
            #expect(problems.all.isEmpty)
            record.reset()
            try store.bringUpToDate()
            #expect(try names(in: directory) == ["Settings.plist"])
            #expect(try members(of: path).isEmpty)
        }
    }

    @Test("An edit of the file is delivered as one record, and fields that it breaks read as the empty record's")
    func edited() async throws {
        try await withPropertyList { path in
            try write(xml("<key>network:attempts</key><integer>4</integer><key>later</key><true/>"), to: path)
            let store = try open(path)
            let (service, problems) = SettingsService.over(store)
            let record = try SettingsStorage<Parameters>(name: "network", in: service)
            var records = record.values.makeAsyncIterator()
            #expect(await records.next() == Parameters(attempts: 4))
            try write(
                xml(
                    "<key>network:attempts</key><integer>5</integer><key>network:isDetailed</key><true/>"
                        + "<key>network:hosts</key><array><string>c</string></array>"
                        + "<key>network:later</key><string>x</string><key>network:limit</key><string>no</string>"),
                to: path)
            try store.bringUpToDate()
            #expect(await records.next() == Parameters(isDetailed: true, attempts: 5, hosts: ["c"]))
            #expect(problems.all.map(\.key?.name) == ["network:limit"])
            record.attempts = 6
            try store.bringUpToDate()
            let stored = try members(of: path)
            #expect(stored["network:later"] == .string("x"))
            #expect(stored["network:limit"] == .string("no"))
            #expect(stored["network:attempts"] == .integer(6))
        }
    }

    @Test("Separate stores on one file that change different fields lose nothing, and receive each other's changes")
    func separateStores() async throws {
        try await withPropertyList { path in
            // Services, records and stores of their own, as in two processes.
            let records = try (0..<2).map { _ in
                try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(try open(path)).service)
            }
            let informed = records[1].values
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 1...50 {
                        records[0].label = "\(number)"
                        records[0].update(\.attempts) { $0 += 1 }
                    }
                }
                group.addTask {
                    for number in 1...50 {
                        records[1].weights["w"] = Double(number)
                        records[1].update(\.attempts) { $0 += 1 }
                    }
                }
                try await group.waitForAll()
            }
            let expected = Parameters(attempts: 103, weights: ["w": 50], label: "50")
            for await record in informed where record == expected { break }
            #expect(try await eventually { records[0].get() == expected })
            #expect(try SettingsStorage<Parameters>(name: "network", in: try open(path)).get() == expected)
        }
    }

    @Test("Another process's change of a record's fields is delivered")
    func otherProcess() async throws {
        try await withPropertyList { path in
            let record = try SettingsStorage<Named>(name: "counter", in: try open(path))
            record.count = 5
            let informed = record.values
            try await Worker.run("fill", path, "counter:field", "3")
            for await record in informed where record.third == 2 { break }
            #expect(record.get() == Named(count: 5, first: 0, third: 2))
        }
    }

    struct Named: SettingsRecord, Equatable {
        enum CodingKeys: String, CodingKey {
            case count
            case first = "field 0"
            case third = "field 2"
        }

        var count = 0
        var first = -1
        var third = -1

        static let empty = Named()
    }

    @Test("Two devices that change different fields keep both changes")
    func shared() throws {
        try withTemporaryDirectory { directory in
            let url = URL(fileURLWithPath: directory)
            let stores = try ["a", "b"].map { name in
                try DirectoryStore(
                    at: url.appendingPathComponent("shared"), state: url.appendingPathComponent("state-\(name)"))
            }
            let records = try stores.map { try SettingsStorage<Parameters>(name: "network", in: $0) }
            records[0].attempts = 7
            records[1].update {
                $0.label = "b"
                $0.limit = nil
            }
            for store in stores + stores { try store.bringUpToDate() }
            for record in records { #expect(record.get() == Parameters(attempts: 7, limit: nil, label: "b")) }
            records[1].reset()
            for store in stores.reversed() + stores { try store.bringUpToDate() }
            for record in records { #expect(record.get() == .empty) }
        }
    }
}
