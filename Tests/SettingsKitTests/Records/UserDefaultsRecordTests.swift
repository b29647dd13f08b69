import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

@Suite("Records in UserDefaults", .timeLimit(Rounds.timeLimit))
struct UserDefaultsRecordTests {
    struct Parameters: SettingsRecord, Equatable {
        var isDetailed = false
        var apiURL: URL?
        var armedAt: Date?
        var attempts = 3
        var hosts = ["a"]
        var limit: Int? = 10

        static let empty = Parameters()
    }

    @Test("A record in UserDefaults stores native values, reads an app's changes, and distinguishes nil from missing")
    func native() async throws {
        try await withSuite { name in
            let store = UserDefaultsStore(suite: name)
            let defaults = try #require(UserDefaults(suiteName: name))
            let record = try SettingsStorage<Parameters>(name: "network", in: store)
            var records = record.values.makeAsyncIterator()
            #expect(await records.next() == .empty)
            record.update {
                $0.isDetailed = true
                $0.apiURL = URL(string: "https://example.org/a")
                $0.hosts.append("b")
                $0.limit = nil
            }
            let expected = Parameters(
                isDetailed: true, apiURL: URL(string: "https://example.org/a"), hosts: ["a", "b"], limit: nil)
            #expect(await records.next() == expected)
            #expect(defaults.object(forKey: "network:isDetailed") as? Bool == true)
            #expect(defaults.object(forKey: "network:apiURL") as? String == "https://example.org/a")
            #expect(defaults.object(forKey: "network:hosts") as? [String] == ["a", "b"])
            #expect(defaults.object(forKey: "network:attempts") == nil)
            defaults.set(8, forKey: "network:attempts")
            defaults.set("no", forKey: "network:isDetailed")
            defaults.removeObject(forKey: "network:limit")
            #expect(record.attempts == 8)
            #expect(!record.isDetailed)
            #expect(record.limit == 10)
            record.reset()
            #expect(record.get() == .empty)
            #expect(!store.keys().contains { $0.hasPrefix("network:") })
        }
    }
}
