import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

/// A device whose process fails, dies, or loses its power at every call in turn while it sets something, takes something
/// over, and writes its file.
@Suite("A shared directory and failing disks", .timeLimit(Rounds.timeLimit), .ownThreads)
struct DirectoryCrashTests {
    /// A device that has not read another device's file yet.
    private let original: Device

    init() throws {
        let other = try Device("other")
        other.time -= 1_000
        try other.set("theirs", "1")
        try other.set("both", "theirs")
        try other.store.synchronize()
        let foreign = try other.ownFile
        let device = try Device("one")
        try device.set("before", "1")
        try device.set("both", "before")
        try device.store.synchronize()
        device.restart()
        try device.put(foreign.data, foreign.name)
        device.disk.synchronizeAll()
        original = device
    }

    /// A device, and what of its work it has done.
    private struct World {
        let device: Device
        var isSet = false
        var isSynchronized = false
    }

    @Test(
        "Wherever a process dies, a call fails or the power goes, nothing is lost that was set or synchronized, and devices agree",
        arguments: Mishap.all)
    func mishap(_ mishap: Mishap) throws {
        try mishap.atEveryCall {
            let device = Device(copyOf: original)
            return (device.disk, World(device: device))
        } work: { world, process, _ in
            let store = try world.device.process(process)
            try store.set(key("both"), to: Data("mine".utf8))
            world.isSet = true
            try store.synchronize()
            world.isSynchronized = true
        } check: { world, comment in
            let device = world.device
            let both = try #require(try device.value("both"), comment)
            // A power failure may take what was not synchronized.
            let isKept = mishap.isPowerFailure ? world.isSynchronized : world.isSet
            #expect(isKept ? both == "mine" : ["before", "mine"].contains(both), comment)
            #expect(try device.value("before") == "1", comment)
            try device.store.synchronize()
            #expect(try device.value("theirs") == "1", comment)
            let third = try Device("third")
            for (name, data) in device.files where !name.hasPrefix(".") { try third.put(data, name) }
            try third.store.refresh()
            #expect(try third.values == device.values, comment)
            #expect(try device.store.replicas.filter(\.isOwn).count == 1, comment)
            // No other device has written with this ID.
            if !mishap.isPowerFailure { #expect(try device.store.replicas.count == 2, comment) }
        }
    }
}
