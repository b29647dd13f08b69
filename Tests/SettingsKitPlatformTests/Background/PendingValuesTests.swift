import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Testing

@Suite("Pending values")
struct PendingValuesTests {
    private static func write(_ name: String, _ text: String?) -> SettingsStoreBatch.Entry {
        .init(key: .init(name, scope: .defaults), data: text.map { Data($0.utf8) })
    }

    private static func pending(_ values: KeyValuePairs<String, String?>) -> PendingValues {
        var pending = PendingValues()
        _ = pending.keep(values.map { write($0.key, $0.value) }) { _ in nil }
        return pending
    }

    private static func text(_ pending: PendingValues, _ name: String) -> String?? {
        pending[name].map { data in data.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test("Kept writes are in force, and their changes begin at the value in force before")
    func keeping() {
        var pending = PendingValues()
        let stored = ["a": Data("1".utf8), "b": Data("2".utf8)]
        let first = pending.keep([Self.write("a", "5"), Self.write("b", nil), Self.write("c", nil)]) { stored[$0] }
        #expect(first.changes.map(\.name) == ["a", "b"] && first.new.map(\.name) == ["a", "b", "c"])
        #expect(first.changes[0].oldData == Data("1".utf8) && first.changes[1].newData == nil)
        let second = pending.keep([Self.write("a", "6"), Self.write("a", "6")]) { stored[$0] }
        #expect(second.new.isEmpty && second.changes.count == 1 && second.changes[0].oldData == Data("5".utf8))
        #expect(Self.text(pending, "a") == "6" && Self.text(pending, "b") == .some(nil) && pending["other"] == nil)
        #expect(pending.count == 3 && pending.namesOfValues == ["a"] && pending.size == 4)
    }

    @Test("When earlier values are stored, those that were set again meanwhile stay pending")
    func removingEarlier() {
        var pending = Self.pending(["same": "1", "changed": "1", "removed": "1", "set": nil, "gone": nil])
        let earlier = pending
        _ = pending.keep(
            [
                Self.write("changed", "2"), Self.write("removed", nil), Self.write("set", "1"), Self.write("new", "1"),
            ]
        ) { _ in nil }
        pending.remove(earlier)
        #expect(Set(pending.names) == ["changed", "removed", "set", "new"])
        #expect(Self.text(pending, "changed") == "2" && Self.text(pending, "removed") == .some(nil))
        #expect(Self.text(pending, "set") == "1" && pending.size == "changed2removedset1new1".utf8.count)
        pending.remove(pending)
        #expect(pending.isEmpty && pending.size == 0)
    }

    @Test("A change waits for half a second at most, and not at all while others are pending")
    func waiting() {
        #expect(PendingValues().waiting(.seconds(3)) == PlatformTimings.longestWaitOfSet)
        #expect(PendingValues().waiting(.milliseconds(20)) == .milliseconds(20))
        #expect(Self.pending(["a": "1"]).waiting(.seconds(3)) == .zero)
    }

    @Test("Changes of stored values under pending names change nothing that is in force")
    func masking() {
        let changes = ["a", "b"].map { SettingsStoreChange(name: $0, from: nil, to: Data("9".utf8)) }
        #expect(Self.pending(["a": nil]).unmasked(changes).map(\.name) == ["b"])
        #expect(PendingValues().unmasked(changes).map(\.name) == ["a", "b"])
    }

    @Test("Values that are given up change back to the stored ones")
    func dropping() {
        var pending = Self.pending(["a": "1", "b": "2", "c": nil])
        let changes = pending.drop { ["b": Data("2".utf8), "c": Data("3".utf8)][$0] }.sorted { $0.name < $1.name }
        #expect(changes.map(\.name) == ["a", "c"] && changes.map(\.newData) == [nil, Data("3".utf8)])
        #expect(pending.isEmpty && pending.size == 0)
    }
}
