import Testing

@testable import SettingsKitFiles

@Suite("Requests for files in the cloud")
struct DownloadRequestsTests {
    private let start = ContinuousClock.now

    @Test(
        "Placeholders and files without contents are asked for by the names of replicas' files",
        arguments: [
            (".Settings-abc.jsonl.icloud", "Settings-abc.jsonl"),
            (".Settings-abc 2.jsonl.icloud", "Settings-abc 2.jsonl"),
            ("Settings-abc.jsonl", "Settings-abc.jsonl"),
            (".Film.mov.icloud", nil), ("Film.mov", nil), (".icloud", nil), (".Settings-abc.jsonl.tmp", nil),
        ] as [(String, String?)])
    func names(pending: String, expected: String?) {
        var requests = DownloadRequests()
        #expect(requests.nextDue(among: [pending], at: start) == (expected.map { [$0] } ?? []))
    }

    @Test("A file is asked for once, and again after a minute for as long as it is missing")
    func repetition() {
        var requests = DownloadRequests()
        func due(_ pending: [String], after seconds: Int) -> [String] {
            requests.nextDue(among: pending, at: start + .seconds(seconds))
        }
        let (one, other) = (".Settings-a.jsonl.icloud", "Settings-b.jsonl")
        #expect(due([one, other], after: 0) == ["Settings-a.jsonl", "Settings-b.jsonl"])
        #expect(due([one, other], after: 30) == [])
        #expect(due([one], after: 60) == ["Settings-a.jsonl"])
        // A file that has come and gone is asked for at once.
        #expect(due([one, other], after: 61) == ["Settings-b.jsonl"])
        #expect(due([], after: 62) == [])
        #expect(due([one], after: 63) == ["Settings-a.jsonl"])
    }
}
