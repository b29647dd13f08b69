import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("Copies of a local state, and processes that share one")
struct IdentityTests {
    private let one: Device

    init() throws {
        one = try Device("one")
        try one.set("a", "1")
        try one.set("b", "1")
        try one.store.synchronize()
    }

    private func copyState(from source: Device, to target: Device) throws {
        for name in source.disk.names(in: source.state) {
            let data = try #require(source.disk.contents(of: source.state + "/" + name))
            try target.disk.replace(target.state + "/" + name, with: data)
        }
    }

    private func id(of device: Device) throws -> String {
        try #require(try device.store.replicas.first { $0.isOwn }).id
    }

    @Test(
        "Two devices with one state, both of which write, become two, and what both wrote stays", arguments: [0, 5_000])
    func cloned(lag: Int64) throws {
        let clone = try Device("clone")
        try copyState(from: one, to: clone)
        one.restart()
        #expect(try clone.values == ["a": "1", "b": "1"])
        try one.set("a", "one")
        try one.set("ofOne", "1")
        clone.time += lag
        try clone.set("b", "clone")
        try clone.set("ofClone", "1")
        let (ofOne, ofClone) = (SettingsService.over(try one.store), SettingsService.over(try clone.store))
        // Each overwrites the other's file under the same name, as a syncer does.
        for _ in 0..<3 {
            try one.send(to: clone)
            try clone.send(to: one)
        }
        try settle([one, clone])
        #expect(try one.values == ["a": "one", "b": "clone", "ofOne": "1", "ofClone": "1"])
        #expect(try id(of: one) != id(of: clone))
        #expect((ofOne.problems.codes + ofClone.problems.codes).contains(.copiedState))
        // It happens once.
        let ids = try [id(of: one), id(of: clone)]
        try one.set("a", "2")
        try clone.set("b", "2")
        try settle([one, clone])
        #expect(try [id(of: one), id(of: clone)] == ids)
    }

    @Test("A state that was put back from a backup uses no stamp again, and gets back what it had written")
    func restored() throws {
        let backup = try Device("backup")
        try copyState(from: one, to: backup)
        let other = try Device("other")
        one.time += 10_000
        try one.set("a", "2")
        try one.set("c", "2")
        try settle([one, other])
        let before = try id(of: one)
        // The same moment on the clock as when it wrote what the backup does not have.
        one.restart()
        for name in one.disk.names(in: one.state) { try one.disk.remove(one.state + "/" + name) }
        try copyState(from: backup, to: one)
        try one.set("c", "3")
        try settle([one, other])
        #expect(try id(of: one) != before)
        #expect(try one.value("a") == "2")
        #expect(try one.value("c") != nil)
        one.time += 10_000
        try one.set("c", "4")
        try settle([one, other])
        #expect(try other.values == ["a": "2", "b": "1", "c": "4"])
    }

    @Test("The own file, its copies and older versions of it are not taken for another's")
    func notCloned() throws {
        let (name, first) = try one.ownFile
        let before = try id(of: one)
        for round in 0..<3 {
            one.time += 1_000
            try one.set("a", "\(round)")
            if round == 1 { try one.set("b", nil) }
            try one.store.synchronize()
            try one.put(first, "copy\(round)")
            try one.put(try one.ownFile.data, "new copy\(round)")
            try one.store.synchronize()
            one.restart()
            try one.put(first, name)
            try one.store.synchronize()
        }
        #expect(try id(of: one) == before)
        #expect(try one.values == ["a": "2"])
    }

    @Test("Two processes with one state lose nothing, and are one replica")
    func processes() throws {
        let stores = try [one.process(), one.process()]
        for round in 0..<20 {
            try stores[round % 2].set(key("k\(round)"), to: Data("1".utf8))
            if round % 5 == 0 { try stores[round % 2].synchronize() }
        }
        for store in stores { try store.synchronize() }
        #expect(stores[0].replicas.count == 1)
        #expect(Set(stores[0].keys()) == Set(stores[1].keys()) && stores[0].keys().count == 22)
    }
}
