import SettingsTestSupport
import Testing

@testable import SettingsCommandLine

@Suite("Changes that wait to be printed")
struct ChangeQueueTests {
    @Test("Changes that an output does not keep up with are left out, and their number is reported")
    func slowOutput() throws {
        let (output, errors) = (Box(""), Box(""))
        let streams = CommandStreams(
            read: { .init() }, output: { output.value += $0 }, errors: { errors.value += $0 })
        let queue = ChangeQueue<Int>()
        let limit = CommandLimits.waitingChanges
        for number in 0..<(9 * limit + 3) { queue.append(number) }
        try queue.print(2, to: streams) { "\($0)\n" }
        #expect(output.value == "\(9 * limit)\n\(9 * limit + 1)\n")
        #expect(errors.value.hasPrefix("\(9 * limit) changes are missing here"))
        queue.append(7)
        try queue.print(1, to: streams) { "\($0)\n" }
        #expect(output.value.hasSuffix("\n7\n"))
    }
}
