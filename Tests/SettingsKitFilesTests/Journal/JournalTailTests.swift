import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("The tail of a journal")
struct JournalTailTests {
    private static let journal = SampleJournal.mixed()

    private func rest(_ tail: [UInt8]) -> JournalScan.Rest? {
        let journal = Self.journal
        let found = scan(journal.bytes + tail)
        #expect(found.records == journal.entries)
        #expect(found.end == journal.end)
        #expect(found.damaged.isEmpty)
        return found.rest
    }

    @Test(
        "The tail of a journal of zeros is incomplete", arguments: [1, 3, 4, 15, 16, 17, 4096])
    func ofZerosIsIncomplete(count: Int) {
        let zeros = [UInt8](repeating: 0, count: count)
        #expect(rest(zeros) == .incomplete)
        #expect(rest(zeros + [1]) == .damaged)
        #expect(rest([1] + zeros) == .damaged)
        let end = Self.journal.end + UInt64(count)
        let found = scan(Self.journal.bytes + zeros + forgedFrame(body(.end), at: end))
        #expect(found.damaged == [Self.journal.end..<end])
        #expect(found.rest == .nothing)
    }

    @Test("Any other trailing bytes count as damage")
    func ofAnyOtherBytes() {
        print("garbage tails: seed 95")
        var generator = SeededGenerator(seed: 95)
        for length in 1...100 {
            var tail = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if tail[0] == 0 || tail[0] == JournalFrame.firstByte { tail[0] = 1 }
            #expect(rest(tail) == .damaged)
            #expect(rest(Array("<plist version=\"1.0\"></plist>".utf8.prefix(length))) == .damaged)
        }
    }

    @Test("The tail of a journal that is a beginning with a wrong bit is damaged where the bit is detectable")
    func thatIsABeginning() {
        var frame: [UInt8] = []
        JournalFrame.appendChange(name: "name", data: Data("value".utf8), at: samplePlace(Self.journal.end), to: &frame)
        for length in 1...frame.count {
            for place in 0..<length {
                for bit in 0..<8 {
                    var tail = Array(frame.prefix(length))
                    tail[place] ^= 1 << bit
                    let found = scan(tail, from: Self.journal.end)
                    let isTold =
                        switch place {
                        case 0..<4: true
                        case 4..<20: length >= 20
                        default: length == frame.count
                        }
                    let expected: JournalScan.Rest = isTold ? .damaged : .incomplete
                    if found != sampleScan(end: Self.journal.end, rest: expected) {
                        Issue.record("bit \(bit) of byte \(place) of \(length)")
                    }
                }
            }
        }
    }

    @Test(
        "The tail of a journal that announces a body is incomplete unless no body can be so long",
        arguments: [JournalFrame.bodyLimit, JournalFrame.bodyLimit + 1, Int(UInt32.max)])
    func thatAnnouncesABody(length: Int) {
        let tail = forgedFrame([1, 2, 3], length: length, at: Self.journal.end)
        #expect(rest(tail) == (length > JournalFrame.bodyLimit ? .damaged : .incomplete))
    }
}
