import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("The replica's own file, and the directory", .ownThreads)
struct OwnFileTests {
    private let device: Device

    init() throws {
        device = try Device("one")
        try device.set("a", "1")
        try device.set("b", "1")
        try device.store.synchronize()
    }

    @Test(
        "An own file that was removed, cut off, damaged or put back is written again",
        arguments: ["removed", "cut", "damaged", "zeros", "empty", "older"])
    func lost(how: String) throws {
        let (name, old) = try device.ownFile
        try device.set("a", "2")
        try device.store.synchronize()
        let data = try device.ownFile.data
        switch how {
        case "removed": try device.remove(name)
        case "cut": try device.put(data.dropLast(40), name)
        case "zeros": try device.put(Data(count: data.count), name)
        case "empty": try device.put(Data(), name)
        case "older": try device.put(old, name)
        default: try device.put(Data(data.map { $0 == UInt8(ascii: "a") ? UInt8(ascii: "b") : $0 }), name)
        }
        try device.store.synchronize()
        #expect(device.files[name] == data)
        #expect(try device.values == ["a": "2", "b": "1"])
    }

    @Test("A directory that is not mounted is not made where it would be, and is used when it is there again")
    func unmounted() throws {
        let device = try Device("mounted")
        try device.disk.makeDirectory("/volume")
        try device.disk.makeDirectory("/volume/shared")
        func open() throws -> DirectoryStore {
            try DirectoryStore(
                directory: "/volume/shared", state: device.state, fileSystem: device.disk.process(),
                now: { Device.noon })
        }
        try open().set(key("a"), to: Data("1".utf8))
        try open().synchronize()
        try device.disk.process().rename("/volume", to: "/away")

        let store = try open()
        #expect(store.get(key("a")) == Data("1".utf8))
        try store.set(key("b"), to: Data("1".utf8))
        #expect(throws: SettingsError.self) { try store.synchronize() }
        #expect(device.disk.contents(of: "/volume") == nil)
        #expect(store.report.hasUnexportedChanges)
        try device.disk.makeDirectory("/volume")
        try store.synchronize()
        #expect(device.disk.names(in: "/volume/shared").count == 1)
        #expect(Set(store.keys()) == ["a", "b"])
    }

    @Test(
        "Changes are safe while the directory is unwritable; the failure is reported, and they are shared later",
        arguments: [ENOSPC, EROFS])
    func unwritable(number: Int32) throws {
        try withTemporaryDirectory { directory in
            let (shared, state) = (directory + "/shared", directory + "/state")
            let fileSystem = FaultyFileSystem()
            let store = try DirectoryStore(directory: shared, state: state, fileSystem: fileSystem)
            fileSystem.set(.writing(in: shared, errno: number))
            try store.set(key("a"), to: Data("2".utf8))
            #expect {
                try store.synchronize()
            } throws: {
                SettingsError.Code.notSaved ~= $0 && "\($0)".contains(shared)
            }
            #expect(store.get(key("a")) == Data("2".utf8))
            #expect(store.report.hasUnexportedChanges)
            fileSystem.set(.none)
            try store.synchronize()
            #expect(!store.report.hasUnexportedChanges)
            #expect(try names(in: shared).count == 1)
        }
    }

    @Test(
        "A directory, a link or a newer version under the own name is left alone, and another name is taken",
        arguments: ["directory", "link", "newer version"])
    func nameTaken(kind: String) throws {
        let (name, _) = try device.ownFile
        let (path, newer) = (device.directory + "/" + name, HostileFile.newerVersion.data)
        try device.remove(name)
        switch kind {
        case "directory": try device.disk.makeDirectory(path)
        case "link": try device.disk.makeLink(path, to: "/elsewhere")
        default: try device.put(newer, name)
        }
        try device.store.synchronize()
        #expect(device.files[name] == (kind == "newer version" ? newer : nil))
        #expect(device.disk.names(in: device.directory).count == 2)
        #expect(device.disk.contents(of: "/elsewhere") == nil)
        #expect(try device.ownFile.name != name)
    }

    @Test("A file larger than other devices read is not written, but reported, and its values are safe")
    func tooMuch() throws {
        var options = DirectoryStore.Options()
        options.sizeLimit = 4_096
        func open(_ state: String) throws -> DirectoryStore {
            try DirectoryStore(
                directory: device.directory, state: state, fileSystem: device.disk.process(), options: options)
        }
        let store = try open(device.state)
        let large = Data(repeating: UInt8(ascii: "1"), count: 4_096)
        try store.set(key("large"), to: large)
        #expect {
            try store.synchronize()
        } throws: {
            SettingsError.Code.notSaved ~= $0
        }
        #expect(store.report.hasUnexportedChanges)
        #expect(try open(device.state).get(key("large")) == large)
        try store.set(key("large"), to: nil)
        try store.synchronize()
        #expect(!store.report.hasUnexportedChanges)
    }

    @Test("A newer version's unknown members are kept when the change is passed on, also in a new log")
    func unknownMembers() throws {
        let members = "\"color\":{\"is\":\"red\"},\"size\":12"
        let line = LogChanges(
            changes: [LogChange(name: "c", data: Data("1".utf8))],
            stamp: LogStamp(milliseconds: Device.noon, replica: 7), unknownMembers: Array(members.utf8))
        let bytes = LogLine.newBeginning.bytes + LogLine.changes(line).bytes
        try device.put(Data(bytes), "Settings-0000000000000007.jsonl")
        try device.store.synchronize()
        func isKept() throws -> Bool {
            String(decoding: try device.ownFile.data, as: UTF8.self).contains(",\(members),\"crc\"")
        }
        #expect(try isKept())
        try device.core().log.compact(waiting: .zero)
        try device.remove(device.ownFile.name)
        try device.store.synchronize()
        #expect(try isKept())
    }

    @Test("A small change appends a line, and a compacted log leaves the file as it is")
    func appended() throws {
        let before = try device.ownFile.data
        try device.set("a", "2")
        try device.store.synchronize()
        let after = try device.ownFile.data
        #expect(after.starts(with: before) && after.count < before.count + 200)
        try device.core().log.compact(waiting: .zero)
        try device.store.synchronize()
        #expect(try device.ownFile.data == after)
        try device.set("b", "2")
        try device.store.synchronize()
        let lines = try logLines(Array(device.ownFile.data))
        #expect(lines.count == 5 && !lines.contains(.damaged))
    }

    @Test("A file with other line breaks, or in another order, is left as it is", arguments: [true, false])
    func changedBySyncer(isOrder: Bool) throws {
        let (name, data) = try device.ownFile
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        let text =
            isOrder
            ? (lines[..<2] + lines[2...].reversed()).map { $0 + "\n" }.joined()
            : lines.map { $0 + "\r\n" }.joined()
        try device.put(Data(text.utf8), name)
        try device.store.synchronize()
        #expect(try device.ownFile.data == Data(text.utf8))
        try device.set("a", "2")
        try device.store.synchronize()
        #expect(try device.ownFile.data != Data(text.utf8))
        #expect(try device.values == ["a": "2", "b": "1"])
    }

    @Test("An own file that is only in the cloud is not missing")
    func placeholder() throws {
        let (name, data) = try device.ownFile
        try device.remove(name)
        try device.put(Data("bplist00".utf8), ".\(name).icloud")
        try device.set("a", "2")
        #expect { try device.store.synchronize() } throws: { SettingsError.Code.notSaved ~= $0 }
        #expect(device.files[name] == nil)
        try device.remove(".\(name).icloud")
        try device.put(data, name)
        try device.store.synchronize()
        #expect(try device.ownFile.data.starts(with: data))
    }

    @Test("Imported values of a property list apply only to settings that no device has set")
    func imported() throws {
        try withTemporaryDirectory { directory in
            let url = URL(fileURLWithPath: directory + "/Settings.plist")
            try write(xml("<key>a</key><integer>7</integer><key>old</key><true/>"), to: url.path)
            let other = try Device("other")
            #expect(try other.store.importPropertyList(at: url) == 2)
            #expect(try other.store.importPropertyList(at: url) == 0)
            #expect(try other.values == ["a": "7", "old": "true"])
            try other.put(try device.ownFile.data, "one")
            try other.store.refresh()
            #expect(try other.values == ["a": "1", "b": "1", "old": "true"])
            // What was removed does not come back by it.
            try other.set("old", nil)
            #expect(try other.store.importPropertyList(at: url) == 0)
            #expect(try other.value("old") == nil)
        }
    }

    @Test("The intact lines of a damaged state are used, and the rest comes back from the directory")
    func damagedState() throws {
        let path = device.state + "/State-log"
        var bytes = try #require(device.disk.contents(of: path))
        bytes[bytes.count - 14] ^= 1
        device.restart()
        try device.disk.replace(path, with: bytes)
        #expect(try device.values == ["a": "1", "b": "1"])
        #expect(device.disk.names(in: device.state).contains { $0.hasPrefix("State-log.damaged-") })
        let other = try Device("other")
        try settle([device, other])
        #expect(try other.values == ["a": "1", "b": "1"])
    }

    @Test("A local state inside the shared directory is refused, by whatever path", arguments: ["shared", "link"])
    func stateInside(parent: String) throws {
        try withTemporaryDirectory { directory in
            try makeDirectory(directory + "/shared")
            try link(directory + "/link", to: "shared")
            let error = #expect(throws: SettingsError.self) {
                try DirectoryStore(
                    directory: directory + "/shared", state: "\(directory)/\(parent)/state",
                    fileSystem: POSIXFileSystem())
            }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.description.contains("inside the shared directory") == true)
        }
    }
}
