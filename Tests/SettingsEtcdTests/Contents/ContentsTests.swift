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

    private func text(_ contents: ClusterContents, _ name: String) -> String? {
        contents[name].map { String(decoding: $0, as: UTF8.self) }
    }

    /// Applies a write, or without a text a removal, that the watch tells.
    private func watch(
        _ contents: inout ClusterContents, _ name: String, _ text: String?, _ revision: Int64
    ) -> [SettingsStoreChange] {
        let event = WatchAnswer.Event(
            kind: text == nil ? .removal : .put, entry: entry(name, text ?? "", revision))
        return contents.apply(.init(number: revision, events: [event]))
    }

    /// Applies what a transaction has shown.
    private func show(
        _ contents: inout ClusterContents, _ name: String, _ text: String?, _ revision: Int64
    ) -> [SettingsStoreChange] {
        contents.show([(range.key(of: name), text.map { entry(name, $0, revision) })], at: revision)
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
        _ = contents.replace(with: [entry("a", "1", 3)], at: 5, after: 0)
        // A transaction's answer is ahead of the watch.
        _ = show(&contents, "a", "2", 9)
        #expect(text(contents, "a") == "2" && contents.revision == 5 && contents.newestRevision == 9)
        #expect(watch(&contents, "a", "1.5", 7).isEmpty)
        #expect(text(contents, "a") == "2")
        #expect(watch(&contents, "a", "1", 6).isEmpty)
        #expect(watch(&contents, "a", "3", 12).count == 1)
        #expect(show(&contents, "a", nil, 11).isEmpty)
        #expect(text(contents, "a") == "3")
        // A removal that was seen early is not undone by an older write.
        _ = show(&contents, "a", nil, 20)
        #expect(text(contents, "a") == nil)
        #expect(watch(&contents, "a", "4", 15).isEmpty)
        #expect(watch(&contents, "a", nil, 20).isEmpty)
        #expect(contents.count == 0)
    }

    @Test("A fresh read changes only names that differ, also of a cluster that was restored to an earlier state")
    func replacing() {
        var contents = ClusterContents(range: range)
        contents.begin(with: ["a": Data("1".utf8), "z": Data()])
        let first = contents.replace(with: [entry("a", "1", 3), entry("b", "1", 4)], at: 50, after: 0)
        #expect(Set(first.map(\.name)) == ["b", "z"])
        _ = show(&contents, "b", "9", 60)
        // What a transaction has shown later stays.
        #expect(contents.replace(with: [entry("a", "1", 3), entry("b", "2", 55)], at: 55, after: 50).isEmpty)
        #expect(text(contents, "b") == "9")
        // Not if the read finds an earlier state than the newest one.
        let earlier = contents.replace(with: [entry("a", "0", 2)], at: 56, after: contents.newestRevision)
        #expect(Set(earlier.map(\.name)) == ["a", "b"] && contents.newestRevision == 56)
    }

    @Test("A condition compares values, which a restored cluster cannot give again, unless they are large")
    func comparisons() {
        var contents = ClusterContents(range: range)
        let large = String(repeating: "x", count: 2_000)
        _ = contents.replace(with: [entry("a", "1", 3), entry("b", large, 4)], at: 5, after: 0)
        #expect(contents.comparison(of: "a") == .value(key: range.key(of: "a"), Data("1".utf8)))
        #expect(contents.comparison(of: "b") == .modRevision(key: range.key(of: "b"), 4))
        #expect(contents.comparison(of: "c") == .modRevision(key: range.key(of: "c"), 0))
    }

    @Test("Of two spellings the newer counts, and the other one comes back when that is removed")
    func spellings() {
        var contents = ClusterContents(range: range)
        let (one, other) = ("e\u{301}", "\u{E9}")
        _ = contents.replace(with: [entry(one, "1", 3), entry(other, "2", 4)], at: 5, after: 0)
        #expect(text(contents, one) == "2" && contents.count == 2)
        #expect(contents.key(of: one) == range.key(of: other))
        _ = watch(&contents, one, "3", 6)
        #expect(text(contents, other) == "3" && contents.key(of: other) == range.key(of: one))
        _ = watch(&contents, one, nil, 7)
        #expect(text(contents, one) == "2" && contents.count == 1)
        _ = watch(&contents, other, nil, 8)
        #expect(contents.names.isEmpty && contents.count == 0)
    }
}
