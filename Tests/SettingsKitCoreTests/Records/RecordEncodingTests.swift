import Foundation
import SettingsKitCore
import Testing

@Suite("Encoding the fields of a record")
struct RecordEncodingTests {
    /// A value that notes each encoding and decoding.
    private struct Noted: Codable, Equatable {
        static let calls = Recorder<String>()

        var text: String

        init(_ text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            Self.calls.append("decode \(text)")
        }

        func encode(to encoder: any Encoder) throws {
            Self.calls.append("encode \(text)")
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private struct ThreeFields: SettingsRecord, Equatable {
        var one = Noted("a long text, which lies outside of the record")
        var two = [Noted("b")]
        var three: Noted?

        static let empty = ThreeFields()
    }

    @Test("Writing a field encodes its old and its new value, no other field, and decodes nothing")
    func oneField() throws {
        let store = MemoryStore()
        let record = try SettingsStorage<ThreeFields>(name: "record", in: store)
        record.two = [Noted("c")]
        #expect(record.get() == ThreeFields(two: [Noted("c")]))
        let before = Noted.calls.count
        record.two.append(Noted("d"))
        #expect(Set(Noted.calls.all[before...]) == ["encode c", "encode d"])
        #expect(try store.text("record:two") == #"["c","d"]"#)
        #expect(record.get() == ThreeFields(two: [Noted("c"), Noted("d")]))
        let next = Noted.calls.count
        record.three = Noted("e")
        #expect(Noted.calls.all[next...] == ["encode e"])
        // What was written is in memory.
        record.update { $0.three = Noted("f") }
        #expect(record.get() == ThreeFields(two: [Noted("c"), Noted("d")], three: Noted("f")))
        #expect(Noted.calls.all[next...].allSatisfy { $0.hasPrefix("encode") })
    }

    @Test("A part of a record that is not stored has the empty record's value after each change")
    func partThatIsNotStored() throws {
        struct Partial: SettingsRecord, Equatable {
            var stored = 1
            var note = "none"
            static let empty = Partial()
            private enum CodingKeys: CodingKey { case stored }
        }
        let record = try SettingsStorage<Partial>(in: MemoryStore())
        for number in 2...4 {
            record.update {
                $0.stored = number
                $0.note = "changed"
            }
            #expect(record.get() == Partial(stored: number))
            record.set(Partial(stored: -number, note: "set"))
            #expect(record.get() == Partial(stored: -number))
        }
    }

    /// Encodes members that depend on several properties.
    private struct Derived: SettingsRecord, Equatable {
        enum Key: String, CodingKey { case first, sum, note }

        var first = 1
        var second = 2
        var note: String?

        static let empty = Derived()

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            first = try container.decode(Int.self, forKey: .first)
            second = try container.decode(Int.self, forKey: .sum) - first
            note = try container.decodeIfPresent(String.self, forKey: .note)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("replaced by the next", forKey: .first)
            try container.encode(first, forKey: .first)
            try container.encode(note, forKey: .note)
            // A second container is the same object.
            var other = encoder.container(keyedBy: Key.self)
            try other.encode(first + second, forKey: .sum)
            if note == "" { try other.encodeNil(forKey: .note) }
        }
    }

    @Test("Every member that depends on a property is written when that is set")
    func derivedMembers() throws {
        let writes = Recorder<[String]>()
        let store = FeedStore(willWrite: { writes.append($0.map(\.key.name)) })
        let record = try SettingsStorage<Derived>(name: "record", in: store)
        record.first = 5
        #expect(store.stored.texts == ["record:first": "5", "record:sum": "7"])
        record.second = 1
        record.note = "text"
        record.note = ""
        #expect(store.stored.texts == ["record:first": "5", "record:sum": "6"])
        #expect(writes.all == [["record:first", "record:sum"], ["record:sum"], ["record:note"], ["record:note"]])
        #expect(record.first == 5 && record.second == 1)
    }

    private struct Lax: Codable, Equatable {
        var number = 0.0
        static func == (one: Lax, other: Lax) -> Bool { true }
    }

    private struct LaxFields: SettingsRecord {
        var number = 0.0
        var lax = Lax()
        var text = "\u{E9}"
        static let empty = LaxFields()
    }

    @Test("Equal values with different JSON are written, other values with the same JSON are not")
    func equality() throws {
        let writes = Recorder<[String]>()
        let store = FeedStore(willWrite: { writes.append($0.map(\.key.name)) })
        let record = try SettingsStorage<LaxFields>(name: "record", in: store)
        record.number = -0.0
        record.lax = Lax(number: 1)
        record.text = "e\u{301}"
        #expect(
            store.stored.texts == [
                "record:number": "-0", "record:lax": #"{"number":1}"#, "record:text": "\"e\u{301}\"",
            ])
        let text = String(repeating: "x", count: 100)
        record.text = text
        record.text = (0..<100).map { _ in "x" }.joined()
        #expect(writes.all == [["record:number"], ["record:lax"], ["record:text"], ["record:text"]])
    }

    /// Encodes nothing where there is no value.
    @propertyWrapper private struct Lossy: Codable, Sendable {
        var wrappedValue: Int?

        init(wrappedValue: Int?) { self.wrappedValue = wrappedValue }

        init(from decoder: any Decoder) throws {
            do {
                wrappedValue = try decoder.singleValueContainer().decode(Int.self)
            } catch {
                wrappedValue = nil
            }
        }

        func encode(to encoder: any Encoder) throws {
            guard let wrappedValue else { return }
            var container = encoder.singleValueContainer()
            try container.encode(wrappedValue)
        }
    }

    private struct LossyField: SettingsRecord {
        @Lossy var limit: Int?
        static let empty = LossyField(limit: nil)
    }

    @Test("A field whose value encodes nothing is an empty object, as inside of an object")
    func nothing() throws {
        let store = MemoryStore()
        let record = try SettingsStorage<LossyField>(name: "record", in: store)
        record.limit = 3
        #expect(try store.text("record:limit") == "3")
        record.limit = nil
        #expect(try store.text("record:limit") == "{}")
        #expect(record.limit == nil)
    }

    private struct SetField: SettingsRecord {
        var names: Set<String> = []
        static let empty = SetField()
    }

    @Test("Equal sets have one order, so that setting one again writes nothing")
    func sets() throws {
        let writes = Recorder<[String]>()
        let store = FeedStore(willWrite: { writes.append($0.map(\.key.name)) })
        let record = try SettingsStorage<SetField>(name: "record", in: store)
        let names = (0..<50).map { "\($0 + 10)" }
        record.names = Set(names)
        record.names = Set(names.reversed() + ["x"]).subtracting(["x"])
        #expect(writes.count == 1)
        #expect(try store.text("record:names") == "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]")
    }
}
