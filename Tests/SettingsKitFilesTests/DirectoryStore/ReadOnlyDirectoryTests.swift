import Foundation
import SettingsKitCore
import SettingsTestKit
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A shared directory that is only read")
struct ReadOnlyDirectoryTests {
    /// A store that only reads a device's directory, with the device's state or another path's.
    private static func look(at device: Device, state: String? = nil) throws -> DirectoryStore {
        try DirectoryStore(
            directory: device.directory, state: state ?? device.state, fileSystem: device.disk.process(),
            access: .readOnly, now: { Device.noon })
    }

    private static func values(of store: DirectoryStore) -> [String: String] {
        let entries = store.keys().compactMap { name in
            store.get(key(name)).map { (name, String(decoding: $0, as: UTF8.self)) }
        }
        return Dictionary(uniqueKeysWithValues: entries)
    }

    /// Everything on a device's disk that a store could have changed.
    private static func picture(of device: Device) -> [String: Data] {
        var picture = device.files
        for directory in [device.state, "/nothing"] {
            for name in device.disk.names(in: directory) {
                picture["\(directory)/\(name)"] = device.disk.contents(of: "\(directory)/\(name)")
            }
        }
        return picture
    }

    private static func pair() throws -> (laptop: Device, phone: Device) {
        let (laptop, phone) = (try Device("laptop"), try Device("phone"))
        try laptop.set("theme", "\"dark\"")
        try laptop.set("gone", "1")
        try laptop.set("gone", nil)
        try laptop.send(to: phone)
        return (laptop, phone)
    }

    @Test(
        "It has the values of all files and of the local state, and nothing on the disk changes",
        arguments: [true, false])
    func values(hasState: Bool) throws {
        let (_, phone) = try Self.pair()
        // In the journal of the state, and not exported.
        try phone.set("own", "2")
        try phone.set("theme", "\"light\"")
        let before = Self.picture(of: phone)
        do {
            let store = try Self.look(at: phone, state: hasState ? nil : "/nothing")
            let expected = hasState ? ["theme": "\"light\"", "own": "2"] : ["theme": "\"dark\""]
            #expect(Self.values(of: store) == expected)
            #expect(store.replicas.map(\.deviceName) == ["laptop"] && store.access == .readOnly)
            #expect(store.report.hasUnexportedChanges == hasState)
            try store.synchronize()
            #expect(Self.values(of: store) == expected)
            let change = store.lastChange(of: "theme")
            #expect(change?.isOwn == hasState && change?.deviceName == (hasState ? nil : "laptop"))
            #expect(store.lastChange(of: "gone") == nil && store.lastChange(of: "never") == nil)
        }
        #expect(Self.picture(of: phone) == before)
    }

    @Test("Every way to write throws readOnly")
    func writing() throws {
        let (_, phone) = try Self.pair()
        let before = Self.picture(of: phone)
        let store = try Self.look(at: phone)
        let entry = SettingsStoreBatch.Entry(key: key("theme"), data: nil)
        let attempts: [() throws -> Void] = [
            { try store.set(key("theme"), to: nil) }, { _ = try store.apply(SettingsStoreBatch(writes: [entry])) },
            { try store.removeAll() }, { try store.export() },
            { try store.importPropertyList(at: URL(fileURLWithPath: "/missing")) },
        ]
        for attempt in attempts {
            let error = #expect(throws: SettingsError.self) { try attempt() }
            #expect(error?.code == .readOnly)
        }
        #expect(Self.picture(of: phone) == before)
    }

    @Test("It sees what arrives, what the device sets, and keeps both when the state is folded")
    func following() throws {
        let (laptop, phone) = try Self.pair()
        let store = try Self.look(at: phone)
        try laptop.set("theme", "\"blue\"")
        try laptop.send(to: phone)
        try phone.set("own", "1")
        try store.synchronize()
        #expect(Self.values(of: store) == ["theme": "\"blue\"", "own": "1"])
        // The device reads the file only now, and folds its journal.
        try phone.store.synchronize()
        try phone.set("own", "2")
        try phone.store.synchronize()
        try store.synchronize()
        #expect(Self.values(of: store) == ["theme": "\"blue\"", "own": "2"])
        try phone.set("own", nil)
        try store.synchronize()
        #expect(Self.values(of: store) == ["theme": "\"blue\""])
        #expect(try phone.values == ["theme": "\"blue\""])
    }

    @Test("Files of the device itself that are newer than what was read of its state are no foreign writes")
    func ownFiles() throws {
        let (_, phone) = try Self.pair()
        try phone.set("own", "1")
        let store = try Self.look(at: phone)
        try phone.set("own", "2")
        try phone.store.synchronize()
        try store.synchronize()
        #expect(Self.values(of: store)["own"] == "2")
        #expect(store.replicas.first?.isOwn == true)
    }

    @Test("A missing directory is an error, and is not created")
    func missing() throws {
        let device = try Device("laptop")
        let store = try DirectoryStore(
            directory: "/missing", state: "/nothing", fileSystem: device.disk.process(), access: .readOnly)
        let error = #expect(throws: SettingsError.self) { try store.synchronize() }
        #expect(error?.code == .readFailed)
        #expect(device.disk.names(in: "/missing").isEmpty && device.disk.names(in: "/nothing").isEmpty)
    }
}
