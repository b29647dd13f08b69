import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

@Suite("Clocks that are wrong")
struct ClockTests {
    private let one: Device
    private let other: Device
    private static let years = 365 * Device.day

    init() throws {
        one = try Device("one")
        other = try Device("other")
    }

    @Test(
        "A change wins over an imported value, also if its device's clock stands still",
        arguments: [0, -1, .max] as [Int64])
    func imported(time: Int64) throws {
        try withTemporaryDirectory { directory in
            let (one, other) = (try Device("one", time: time), try Device("other"))
            try one.set("a", "1")
            let url = URL(fileURLWithPath: directory + "/Settings.plist")
            try write(xml("<key>a</key><integer>9</integer>"), to: url.path)
            #expect(try other.store.importPropertyList(at: url) == 1)
            try settle([one, other])
            #expect(try other.values == ["a": "1"])
        }
    }

    @Test(
        "A change that was made after another was seen wins, whatever the clocks show",
        arguments: [-10 * years, -3 * Device.day, 0, Device.day, 10 * years, Int64.min / 4, Int64.max / 4])
    func causality(error: Int64) throws {
        one.time += error
        try one.set("a", "1")
        try settle([one, other])
        for (device, value) in [(other, "2"), (one, "3"), (other, nil), (one, "4")] as [(Device, String?)] {
            try device.set("a", value)
            try settle([one, other])
            #expect(try one.value("a") == value)
        }
        #expect(try one.store.report.problems.isEmpty && other.store.report.problems.isEmpty)
    }

    @Test("A device ten years ahead wins concurrent changes of a name until others have read them, and only there")
    func ahead() throws {
        one.time += 10 * Self.years
        try one.set("a", "future")
        try other.set("a", "2")
        try other.set("b", "2")
        try settle([one, other])
        #expect(try other.values == ["a": "future", "b": "2"])
        try other.set("a", "3")
        try other.set("b", "3")
        try settle([one, other])
        #expect(try one.values == ["a": "3", "b": "3"])
        // The other names still have the times of the right clock.
        let lines = try logLines(Array(other.ownFile.data)).compactMap { line in
            if case .line(.changes(let changes)) = line, changes.changes[0].name == "b" { changes.stamp } else { nil }
        }
        #expect(lines.last?.milliseconds == other.time)
    }

    @Test("After the clock was ahead and was corrected, new changes win, everywhere", arguments: [true, false])
    func corrected(isRestarted: Bool) throws {
        try one.set("a", "1")
        try settle([one, other])
        one.time += Self.years
        for name in ["a", "b", "c"] { try one.set(name, "future") }
        try one.set("c", nil)
        try one.send(to: other)
        one.time -= Self.years - 60_000
        if isRestarted { one.restart() }
        try one.set("a", "2")
        other.time += 120_000
        try settle([one, other])
        #expect(try other.values == ["a": "2", "b": "future"])
        try other.set("b", "3")
        try other.set("c", "3")
        try settle([one, other])
        #expect(try one.values == ["a": "2", "b": "3", "c": "3"])
    }

    @Test(
        "A clock that goes back makes no change lose against an earlier one of the same device",
        arguments: [2, 5 * 365], [true, false])
    func backwards(days: Int64, isRestarted: Bool) throws {
        try one.set("a", "1")
        try one.set("b", "1")
        try settle([one, other])
        one.time -= days * Device.day
        try one.set("a", "2")
        try one.set("b", nil)
        if isRestarted { one.restart() }
        try one.set("a", "3")
        try settle([one, other])
        #expect(try other.values == ["a": "3"])
        one.time += days * Device.day + 1_000
        try settle([one, other])
        #expect(try one.values == ["a": "3"])
    }

    @Test(
        "A device whose clock shows a nonsensical time works", arguments: [Int64.min, -1, 0, 7_258_118_400_000, .max])
    func nonsense(time: Int64) throws {
        one.time = time
        for value in ["1", "2", "3"] { try one.set("a", value) }
        try one.store.synchronize()
        #expect(try one.store.replicas[0].lastSeen.timeIntervalSince1970 < 1)
        one.restart()
        #expect(try one.values == ["a": "3"])
        one.time = Device.noon
        try one.set("a", "4")
        try settle([one, other])
        #expect(try other.values == ["a": "4"])
    }

    @Test("A name with the last time there is cannot be changed, which is said; the others can")
    func lastTime() throws {
        let stamp = LogStamp(time: LogStamp.end - 1, replica: 9)
        let change = LogChange(name: "a", data: Data("1".utf8))
        let bytes = LogLine.newBeginning.bytes + LogLine.changes(LogChanges(changes: [change], stamp: stamp)).bytes
        try one.put(Data(bytes), "Settings-hostile.jsonl")
        try one.store.refresh()
        let error = #expect(throws: SettingsError.self) { try one.set("a", "2") }
        #expect(error?.code == .writeFailed && "\(error!)".contains("0000000000000009"))
        try one.set("b", "2")
        #expect(try one.values == ["a": "1", "b": "2"])
    }

    @Test("A removal is kept, however long ago it was, and wins against a device that returns")
    func removals() throws {
        try one.set("a", "1")
        try settle([one, other])
        let old = try other.ownFile
        try one.set("a", nil)
        one.time += 50 * Self.years
        try one.store.synchronize()
        try one.core().log.compact(waiting: .zero)
        one.restart()
        try one.put(old.data, old.name)
        try one.store.synchronize()
        #expect(try one.values.isEmpty)
        try settle([one, other])
        #expect(try other.values.isEmpty)
    }
}
