import Foundation
import SettingsCore
import SettingsTestKit
import Testing

@testable import SettingsFiles

@Suite("Devices agree")
struct ConvergenceTests {
    private let one: Device
    private let other: Device

    init() throws {
        one = try Device("one")
        other = try Device("other")
    }

    @Test("what one sets, the other has")
    func arrival() throws {
        try one.set("theme", "\"dark\"")
        try one.send(to: other)
        try other.store.refresh()
        #expect(try other.values == ["theme": "\"dark\""])
    }

    @Test("a change that was made after another was seen wins, whatever the clocks say")
    func causality() throws {
        other.time = one.time - Device.day / 2
        try one.set("theme", "1")
        try one.send(to: other)
        try other.store.refresh()
        try other.set("theme", "2")
        try settle([one, other])
        #expect(try one.values == ["theme": "2"])
    }

    @Test("a removed setting stays removed, although another device still has its value")
    func removal() throws {
        try one.set("theme", "1")
        try settle([one, other])
        try one.set("theme", nil)
        try settle([one, other])
        #expect(try one.values == [:])
        try other.set("volume", "1")
        try settle([one, other])
        #expect(try one.values == ["volume": "1"])
    }
}
