import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Hostile JSON")
struct HostileJSONTests {
    /// What is not linear takes minutes.
    private func isValueSoon(_ bytes: [UInt8]) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        let isValue = bytes.withUnsafeBufferPointer(JSONScanner.isValue)
        #expect(clock.now - start < .seconds(20))
        return isValue
    }

    /// Ten megabytes of something, or a little more.
    private func much(_ part: String, of size: Int = 10_000_000) -> [UInt8] {
        // Doubled, since joining them one by one takes longer than what is tested.
        var bytes = Array(part.utf8)
        while bytes.count < size { bytes += bytes }
        return bytes
    }

    private func string(_ text: [UInt8]) -> [UInt8] { [0x22] + text + [0x22] }

    @Test(
        "Hostile JSON that never becomes a value is refused in linear time",
        arguments: [
            "[", "{\"a\":", "[{\"a\":", "{", "]", "\"", ",", "-", "\\", "\\u", "[,", "[1", "tru", " ", "[[],",
            "{\"a\":{},",
        ])
    func thatNeverBecomesA(part: String) {
        #expect(!isValueSoon(much(part)))
    }

    @Test("Hostile JSON of digits is a number, whatever part of it they are")
    func ofDigitsIsA() {
        #expect(isValueSoon(much("7")))
        let digits = much("7", of: 1_000_000)
        #expect(isValueSoon(Array("-0.".utf8) + digits))
        #expect(isValueSoon(Array("1e-".utf8) + digits))
        #expect(!isValueSoon(digits + Array("x".utf8)))
    }

    @Test("Hostile JSON of backslashes is a string if each has its letter")
    func ofBackslashesIsA() {
        let backslashes = much("\\")
        #expect(backslashes.count.isMultiple(of: 2))
        #expect(isValueSoon(string(backslashes)))
        #expect(!isValueSoon(string(backslashes + Array("\\".utf8))))
        #expect(isValueSoon(string(much("\\u0041", of: 1_000_000))))
    }

    @Test("Hostile JSON that is wide and as deep as may be is a value")
    func thatIsWideAnd() {
        let depth = CoreLimits.jsonDepth - 1
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let many = much(deep + ",", of: 1_000_000) + Array(deep.utf8)
        #expect(isValueSoon(Array("[".utf8) + many + Array("]".utf8)))
        #expect(!isValueSoon(Array("[[".utf8) + many + Array("]]".utf8)))
    }

    @Test("Hostile JSON of letters that are not ASCII is a value")
    func ofLettersThatAre() {
        let letters = string(much("é", of: 1_000_000))
        #expect(isValueSoon(Array("[".utf8) + letters + Array(",".utf8) + letters + Array("]".utf8)))
        #expect(!isValueSoon(Array(letters.dropLast(2)) + [0x22]))
    }
}
