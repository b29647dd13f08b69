import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine

@Suite("Changes that wait to be printed")
struct ChangeQueueTests {
    @Test("Changes that an output does not keep up with are left out, and their number is reported")
    func slowOutput() throws {
        let (output, errors) = (Box(""), Box(""))
        let streams = CommandStreams(
            read: { Data() }, output: { output.value += $0 }, errors: { errors.value += $0 })
        let queue = ChangeQueue<Int>()
        for number in 0..<100_000 { queue.append(number) }
        let limit = CommandLimits.waitingChanges
        try queue.print(limit, to: streams) { "\($0)\n" }
        #expect(output.value == ((100_000 - limit)..<100_000).map { "\($0)\n" }.joined())
        #expect(errors.value.hasPrefix("90000 changes are missing here"))
        (output.value, errors.value) = ("", "")
        for number in 0..<3 { queue.append(number) }
        try queue.print(2, to: streams) { "\($0)\n" }
        #expect(output.value == "0\n1\n" && errors.value.isEmpty)
    }

    @Test("An output that is closed ends the waiting, and the printing")
    func closedOutput() throws {
        let closed = CommandStreams(
            read: { Data() }, output: { _ in throw CommandStreams.Closed() }, errors: { _ in })
        let queue = ChangeQueue<Int>()
        #expect(throws: CommandStreams.Closed.self) { try queue.removeAll(while: closed) }
        queue.append(1)
        #expect(throws: CommandStreams.Closed.self) { try queue.print(2, to: closed) { "\($0)\n" } }
    }
}
