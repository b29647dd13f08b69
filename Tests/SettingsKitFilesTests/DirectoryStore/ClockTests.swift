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
        "A change that was made after another was seen wins, whatever the clocks show, also if they jump",
        arguments: [
            .min, -1, 0, Device.noon - 10 * years, Device.noon, Device.noon + 10 * years, 7_258_118_400_000, .max,
        ] as [Int64])
    func causality(time: Int64) throws {
        let changes = [(one, "1"), (other, "2"), (one, "3"), (one, "4"), (other, nil), (one, "5"), (one, nil)]
        for (number, (device, value)) in (changes as [(Device, String?)]).enumerated() {
            one.time = number % 3 == 0 ? time : Device.noon
            if number > 2 { one.restart() }
            try device.set("a", value)
            try settle([one, other])
            #expect(try one.value("a") == value, "change \(number)")
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
}
