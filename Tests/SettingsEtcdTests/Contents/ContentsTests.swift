import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("The contents of a cluster")
struct ContentsTests {
    private let range = KeyRange(prefix: "p/")

    private func entry(_ name: String, _ text: String, _ revision: Int64) -> ClusterEntry {
        ClusterEntry(key: range.key(of: name), value: Data(text.utf8), modRevision: revision)
    }

    private func known(_ name: String, _ revision: Int64) -> ClusterContents.Known {
        .init(key: range.key(of: name), data: Data("1".utf8), modRevision: revision)
    }

    private func put(_ name: String, _ text: String, _ revision: Int64) -> WatchAnswer.Event {
        .init(isRemoval: false, entry: entry(name, text, revision))
    }

    private func removal(_ name: String, _ revision: Int64) -> WatchAnswer.Event {
        .init(isRemoval: true, entry: ClusterEntry(key: range.key(of: name), modRevision: revision))
    }

    private func text(_ contents: ClusterContents, _ name: String) -> String? {
        contents.visible[name].map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("The end of a prefix is the first key behind it")
    func ranges() {
        #expect(KeyRange(prefix: "a/").end == Data("a0".utf8))
        #expect(range.name(in: Data("p/x".utf8)) == "x" && range.name(in: Data("q/x".utf8)) == nil)
        #expect(range.name(in: Data("p/".utf8)) == nil && range.name(in: Data("p/\u{0}".utf8)) == nil)
        #expect(range.name(in: Data("p/".utf8) + [0xFF]) == nil)
    }

    @Test("A value makes way for newer ones only")
    func monotonic() {
        var contents = ClusterContents(range: range)
        _ = contents.replace(with: [entry("a", "1", 3)], at: 5, after: contents.revision)
        // A transaction's answer is ahead of the watch.
        _ = contents.apply(["a": entry("a", "2", 9)], at: 9)
        #expect(text(contents, "a") == "2" && contents.revision == 5)
        #expect(contents.apply([put("a", "1.5", 7)], at: 7).isEmpty)
        #expect(text(contents, "a") == "2")
        #expect(contents.apply([put("a", "1", 6)], at: 6).isEmpty)
        #expect(contents.apply([put("a", "3", 12)], at: 12).count == 1)
        #expect(contents.apply(["a": nil], at: 11).isEmpty)
        #expect(text(contents, "a") == "3")
        // A removal that was seen early is not undone by an older write.
        _ = contents.apply(["a": nil], at: 20)
        #expect(text(contents, "a") == nil)
        #expect(contents.apply([put("a", "4", 15)], at: 15).isEmpty)
        #expect(contents.apply([removal("a", 20)], at: 20).isEmpty)
        #expect(contents.count == 0)
    }

    @Test("A waiting write hides the cluster's value until the write has ended")
    func overlay() {
        var contents = ClusterContents(range: range)
        _ = contents.replace(with: [entry("a", "1", 3)], at: 5, after: contents.revision)
        #expect(contents.show(["a": Data("2".utf8)], of: ["a"]).count == 1)
        #expect(contents.show(["a": Data("3".utf8)], of: ["a"]).count == 1)
        #expect(contents.apply([put("a", "x", 6)], at: 6).isEmpty)
        #expect(text(contents, "a") == "3")
        #expect(contents.show(["a": Data("3".utf8)], of: ["a"]).isEmpty)
        let changes = contents.show([:], of: ["a"])
        #expect(changes.count == 1 && text(contents, "a") == "x")
        #expect(contents.known("a")?.modRevision == 6)
    }

    @Test("A fresh read changes only names that differ, also of a cluster that was restored to an earlier state")
    func replacing() {
        var contents = ClusterContents(range: range)
        _ = contents.replace(
            with: [entry("a", "1", 3), entry("b", "1", 4), entry("c", "1", 5)], at: 50, after: contents.revision)
        _ = contents.apply(["b": entry("b", "9", 60)], at: 60)
        let changes = contents.replace(
            with: [entry("a", "1", 3), entry("b", "2", 55)], at: 55, after: contents.revision)
        #expect(changes.map(\.name) == ["c"])
        #expect(text(contents, "b") == "9")
        let earlier = contents.replace(with: [entry("a", "0", 2)], at: 10, after: contents.revision)
        #expect(Set(earlier.map(\.name)) == ["a", "b"] && contents.revision == 10)
    }

    @Test(
        "A restoration ends the views of transactions, also when the read finds a revision that the watch had reached"
    )
    func restoredBehindTransaction() {
        var contents = ClusterContents(range: range)
        _ = contents.replace(with: [entry("a", "1", 3)], at: 5, after: 0)
        _ = contents.apply(["a": entry("a", "lost", 9)], at: 9)
        #expect(contents.newestRevision == 9)
        _ = contents.replace(with: [entry("a", "2", 6)], at: 7, after: contents.newestRevision)
        #expect(text(contents, "a") == "2" && contents.newestRevision == 7)
        // One that was shown while the state was read stays.
        _ = contents.apply(["a": entry("a", "3", 9)], at: 9)
        _ = contents.replace(with: [entry("a", "2", 6)], at: 8, after: 7)
        #expect(text(contents, "a") == "3")
    }

    @Test("A revision that two values have was given again by a restored cluster")
    func reusedRevision() {
        var contents = ClusterContents(range: range)
        _ = contents.replace(with: [entry("a", "1", 3), entry("b", "1", 4), entry("c", "1", 5)], at: 5, after: 0)
        let entries = [entry("a", "1", 3), entry("b", "2", 4), entry("c", "2", 6), entry("d", "1", 5)]
        #expect(contents.namesWithReusedRevision(in: entries) == ["b"])
    }

    @Test("The last known state counts until the first read")
    func lastKnown() {
        var contents = ClusterContents(range: range)
        #expect(contents.begin(with: ["a": known("a", 3), "b": known("b", 3)]).count == 2)
        #expect(contents.revision == 0 && contents.modRevision(of: "a") == 3)
        let changes = contents.replace(with: [entry("a", "1", 3)], at: 4, after: contents.revision)
        #expect(changes.map(\.name) == ["b"])
    }

    @Test("The local file lacks the whole state after a read, and then each name that has changed, until it is stored")
    func unstored() {
        var contents = ClusterContents(range: range)
        _ = contents.replace(with: [entry("a", "1", 3), entry("b", "1", 3)], at: 5, after: 0)
        let (all, none) = (contents.removeUnstored(), contents.removeUnstored())
        #expect(all.all == ["a": known("a", 3), "b": known("b", 3)] && all.seen.isEmpty)
        #expect(none.all == nil && none.seen.isEmpty)
        _ = contents.apply([put("a", "1", 6), removal("b", 6)], at: 6)
        _ = contents.apply(["c": nil], at: 9)
        let seen: [String: ClusterContents.Seen] = [
            "a": .init(known: known("a", 6)), "b": .init(), "c": .init(revision: 9),
        ]
        let changed = contents.removeUnstored()
        contents.putBack(changed.seen.keys)
        let again = contents.removeUnstored()
        #expect(changed.all == nil && changed.seen == seen && again.seen == seen)
        _ = contents.apply([put("b", "1", 7)], at: 7)
        contents.requireStoringAll()
        let whole = contents.removeUnstored()
        #expect(whole.all == ["a": known("a", 6), "b": known("b", 7)] && whole.seen.isEmpty)
    }

    @Test("Of two spellings the newer counts, and the other one comes back when that is removed")
    func spellings() {
        var contents = ClusterContents(range: range)
        let (one, other) = ("e\u{301}", "\u{E9}")
        _ = contents.replace(with: [entry(one, "1", 3), entry(other, "2", 4)], at: 5, after: contents.revision)
        #expect(text(contents, one) == "2" && contents.count == 2)
        #expect(contents.key(of: one) == range.key(of: other))
        _ = contents.apply([put(one, "3", 6)], at: 6)
        #expect(text(contents, other) == "3" && contents.key(of: other) == range.key(of: one))
        _ = contents.apply([removal(one, 7)], at: 7)
        #expect(text(contents, one) == "2" && contents.count == 1)
        _ = contents.apply([removal(other, 8)], at: 8)
        #expect(contents.visible.isEmpty && contents.count == 0)
    }

    @Test("Pauses grow to a limit, and are never twice the same")
    func backoff() {
        var generator = SeededGenerator(seed: 3)
        var backoff = Backoff(first: .milliseconds(10), limit: .seconds(1))
        var pauses: [Duration] = []
        for attempt in 0..<200 {
            let pause = backoff.fail(&generator)
            let whole = min(Duration.seconds(1), .milliseconds(10) * (1 << min(attempt, 20)))
            #expect(pause >= whole / 2 && pause <= whole)
            pauses.append(pause)
        }
        #expect(Set(pauses).count > 190)
        backoff.succeed()
        #expect(backoff.fail(&generator) <= .milliseconds(10))
    }
}
