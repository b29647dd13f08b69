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
        let (service, problems) = SettingsService.over(try one.store)
        defer { withExtendedLifetime(service) {} }
        let (otherService, otherProblems) = SettingsService.over(try clone.store)
        defer { withExtendedLifetime(otherService) {} }
        // Each overwrites the other's file under the same name, as a syncer does.
        for _ in 0..<3 {
            try one.send(to: clone)
            try clone.send(to: one)
        }
        try settle([one, clone])
        #expect(try one.values == ["a": "one", "b": "clone", "ofOne": "1", "ofClone": "1"])
        #expect(try id(of: one) != id(of: clone))
        #expect((problems.codes + otherProblems.codes).contains(.copiedState))
        // It happens once.
        let ids = try [id(of: one), id(of: clone)]
        try one.set("a", "2")
        try clone.set("b", "2")
        try settle([one, clone])
        #expect(try [id(of: one), id(of: clone)] == ids)
    }

    @Test("Two copies of one state over the same directory lose nothing of each other")
    func clonedInPlace() throws {
        try one.disk.makeDirectory("/clone")
        for name in one.disk.names(in: one.state) {
            try one.disk.replace("/clone/" + name, with: try #require(one.disk.contents(of: one.state + "/" + name)))
        }
        let copy = try DirectoryStore(
            directory: one.directory, state: "/clone", fileSystem: one.disk.process(), now: { [one] in one.time })
        for round in 0..<5 {
            try copy.set(key("copy\(round)"), to: Data("1".utf8))
            try one.set("one\(round)", "1")
            try copy.synchronize()
            try one.store.synchronize()
        }
        try copy.synchronize()
        let names = Set(["a", "b"] + (0..<5).flatMap { ["copy\($0)", "one\($0)"] })
        #expect(Set(copy.keys()) == names)
        #expect(try Set(one.store.keys()) == names)
    }

    @Test("Two copies that have changed nothing leave their file as it is, also beside a device with equal changes")
    func sharedIdentity() throws {
        let clone = try Device("clone")
        try copyState(from: one, to: clone)
        one.restart()
        // Two devices have imported the same value, as old as every other imported one.
        for (id, target) in [(7, one), (8, clone)] as [(UInt64, Device)] {
            let change = LogChange(name: "c", data: Data("1".utf8))
            let line = LogLine.changes(LogChanges(changes: [change], stamp: LogStamp(time: 0, replica: id)))
            try target.put(Data(LogLine.newBeginning.bytes + line.bytes), ReplicaFileName.name(of: id))
            try target.store.synchronize()
        }
        // A syncer carries the file to and fro.
        try one.send(to: clone)
        try clone.send(to: one)
        let before = try one.ownFile.data
        for _ in 0..<3 {
            try one.send(to: clone)
            #expect(try clone.ownFile.data == before)
            try clone.send(to: one)
            #expect(try one.ownFile.data == before)
        }
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

    @Test("A restored state learns of its later writes also from what others say of them")
    func restoredWithoutOwnFile() throws {
        let backup = try Device("backup")
        try copyState(from: one, to: backup)
        let other = try Device("other")
        one.time += 10_000
        try one.set("a", "2")
        try one.send(to: other)
        try other.set("d", "1")
        try other.send(to: one)
        let before = try id(of: one)
        try one.remove("Settings-\(before).jsonl")
        one.restart()
        for name in one.disk.names(in: one.state) { try one.disk.remove(one.state + "/" + name) }
        try copyState(from: backup, to: one)
        try one.store.synchronize()
        #expect(try id(of: one) != before)
        #expect(try one.values == ["a": "2", "b": "1", "d": "1"])
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
            let counter = stores[(round + 1) % 2]
            let old = counter.get(key("n"))
            let new = Data("\(round)".utf8)
            _ = try counter.apply(
                SettingsStoreBatch(
                    writes: [.init(key: key("n"), data: new)], expectations: [.init(key: key("n"), data: old)]))
            if round % 5 == 0 { try stores[round % 2].synchronize() }
        }
        for store in stores { try store.synchronize() }
        #expect(stores[0].replicas.count == 1)
        #expect(Set(stores[0].keys()) == Set(stores[1].keys()))
        #expect(stores[0].keys().count == 23)
        let other = try Device("other")
        try other.put(try one.ownFile.data, "one")
        try other.store.refresh()
        #expect(try other.values.count == 23)
    }
}
