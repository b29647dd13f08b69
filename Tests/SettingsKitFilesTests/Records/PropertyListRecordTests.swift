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
