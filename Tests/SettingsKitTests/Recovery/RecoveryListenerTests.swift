import Foundation
import Observation
import SettingsKitCore
import SettingsKit
import Testing

/// The changes that listeners receive when a store opens that could not be opened before.
@Suite("Listeners of a store that opens late")
struct RecoveryListenerTests {
    private let count = Setting<Int>("count", in: .defaults, default: 0)
    private let name = Setting<String?>("name", in: .defaults)
    private let same = Setting<Int>("same", in: .defaults, default: 0)

    @Test("Every listener is notified once of each value that differs, as an external change")
    func differences() throws {
        try withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let settings = file.service()
            let (changes, sets, tracked) = (Recorder<String>(), Recorder<String>(), Recorder<Int>())
            let subscriptions = [
                settings.observe(count) { changes.append("count \($0.oldValue)-\($0.newValue) \($0.origin)") },
                settings.observe(name) {
                    changes.append("name \($0.oldValue ?? "")-\($0.newValue ?? "") \($0.origin)")
                },
                settings.observe(same) { changes.append("same \($0.oldValue)-\($0.newValue) \($0.origin)") },
                settings.observe { sets.append("\($0.keys.map(\.name).sorted()) \($0.origin)") },
            ]
            let live = settings.value(count)
            settings.set(same, to: 7)
            withObservationTracking {
                _ = live.value
            } onChange: {
                tracked.append(live.value)
            }
            try file.appear(["count": 41, "name": "Bob", "same": 3, "unknown": 1])
            try settings.bringUpToDate()
            #expect(
                Set(changes.all) == ["same 0-7 local", "count 0-41 external", "name -Bob external"])
            #expect(changes.all.count == 3)
            #expect(
                sets.all == ["[\"same\"] local", "[\"count\", \"name\", \"unknown\"] external"])
            #expect(tracked.all == [41] && live.value == 41)
            for subscription in subscriptions { subscription.cancel() }
        }
    }

    @Test("Streams go on: the values, then the stored ones, then what is set later")
    func streams() async throws {
        try await withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let settings = file.service()
            var values = settings.values(of: count).makeAsyncIterator()
            var changes = settings.changes(of: count).makeAsyncIterator()
            #expect(await values.next() == 0)
            settings.set(name, to: "Ann")
            try file.appear(["count": 41])
            try settings.bringUpToDate()
            #expect(await values.next() == 41)
            settings.set(count, to: 50)
            #expect(await values.next() == 50)
            for expected in ["0-41 external", "41-50 local"] {
                let change = try #require(await changes.next())
                #expect("\(change.oldValue)-\(change.newValue) \(change.origin)" == expected)
            }
        }
    }

    @Test("Changes that others make in the file are heard after it has opened")
    func laterChanges() async throws {
        try await withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let settings = file.service()
            settings.set(name, to: "Ann")
            try file.appear(["count": 41])
            try settings.bringUpToDate()
            let changes = Recorder<String>()
            let subscription = settings.observe(count) { changes.append("\($0.oldValue)-\($0.newValue) \($0.origin)") }
            // Over the same file: a change of its own for the other service.
            let second = SettingsService(defaults: try PropertyListStore(url: file.url))
            second.set(count, to: 42)
            #expect(settings.get(count) == 42)
            #expect(changes.all == ["41-42 local"])
            var contents = try file.stored() as? [String: any Sendable] ?? [:]
            contents["count"] = 43
            try PropertyListSerialization.data(fromPropertyList: contents, format: .xml, options: 0).write(to: file.url)
            #expect(try await eventually { settings.get(count) == 43 })
            #expect(try await eventually { changes.all == ["41-42 local", "42-43 external"] })
            subscription.cancel()
        }
    }

    @Test("Listeners may set, update and listen while it opens")
    func reentrance() throws {
        try withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let settings = file.service()
            let subscription = settings.observe(count) { change in
                settings.set(same, to: change.newValue)
                settings.update(name) { $0 = ($0 ?? "") + "." }
            }
            settings.set(name, to: "set before")
            try file.appear(["count": 41])
            try settings.bringUpToDate()
            #expect(settings.get(count) == 41 && settings.get(same) == 41)
            #expect(settings.get(name) == "set before.")
            subscription.cancel()
        }
    }
}
