import Foundation
import SettingsKitCore

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

extension FuzzTarget {
    /// A property list and a log, with right checks, as a store finds them: when it opens, and while it is open.
    ///
    /// The store opens or throws; what it can set is there when another opens.
    static let store = FuzzTarget(name: "store") { bytes in
        var input = FuzzInput(bytes)
        let flags = input.byte()
        let list = input.file()
        var log = input.remainder
        if flags & 1 == 0 { log = withRightChecks(log) }
        if flags & 2 == 0 { log = withRightDigest(log, of: Data(list)) }
        let disk = SimulatedDisk()
        if flags & 4 == 0 { try disk.write(Data(list), to: Scene.path) }
        if flags & 8 == 0 { try disk.write(Data(log), to: Scene.logPath) }
        try Scene.use(disk)
        try Scene.follow(list: Data(list), log: Data(log), flags: flags)
    } seeds: {
        try Scene.seeds()
    }
}

/// What is done with hostile files.
private enum Scene {
    static let path = "/Settings.plist"
    static let logPath = "/Settings.plist-log"
    static let key = SettingsService.StorageKey("fuzz", scope: .defaults)

    /// A store that does nothing by itself, so that a finding can be repeated.
    static func open(_ disk: SimulatedDisk) throws -> PropertyListStore {
        try PropertyListStore(
            path: path, fileSystem: disk.process(), writingDelay: .seconds(3600), patience: .zero, trust: .zero,
            editingTime: .zero)
    }

    /// Opens, reads, writes and prints, and opens once more.
    static func use(_ disk: SimulatedDisk) throws {
        let value = Data("[1,2]".utf8)
        let store: PropertyListStore
        do {
            store = try open(disk)
        } catch is SettingsError {
            // Refused in words.
            return
        }
        readAll(store)
        guard set(value, store) else { return }
        require(store.get(key) == value, "a value that is set is read")
        try require(open(disk).get(key) == value, "a value that is set is there for another store")
        do { try store.bringUpToDate() } catch is SettingsError { return } catch is SystemError { return }
        require(store.get(key) == value, "a value stays when the file is written")
        let other = try open(disk)
        require(other.get(key) == value, "a value that is written is there for another store")
        require(Set(other.keys()) == Set(store.keys()), "another store has the same keys")
        for name in store.keys().prefix(20) {
            let key = SettingsService.StorageKey(name, scope: .defaults)
            require(other.get(key) == store.get(key), "another store has the same values")
        }
    }

    /// Puts the files in the place of good ones that a store has open.
    static func follow(list: Data, log: Data, flags: UInt8) throws {
        let disk = SimulatedDisk()
        let writer = try open(disk)
        let reader = try open(disk)
        _ = set(Data("1".utf8), writer)
        try writer.bringUpToDate()
        try reader.refresh()
        let isInPlace = flags & 16 == 0
        func put(_ data: Data, _ path: String) throws {
            if isInPlace { try disk.write(data, to: path) } else { try disk.replace(path, with: data) }
        }
        if flags & 4 == 0 { try put(list, path) }
        if flags & 8 == 0 { try put(log, logPath) }
        for store in flags & 32 == 0 ? [reader, writer] : [writer, reader] {
            do { try store.refresh() } catch is SettingsError {} catch is SystemError {} catch is any ValueFreeError {}
            readAll(store)
        }
        let value = Data("2".utf8)
        if set(value, writer) { require(writer.get(key) == value, "a value that is set is read") }
        do { try writer.bringUpToDate() } catch is SettingsError {} catch is SystemError {}
        do { try reader.refresh() } catch is SettingsError {} catch is SystemError {} catch is any ValueFreeError {}
        readAll(reader)
    }

    private static func readAll(_ store: PropertyListStore) {
        for name in store.keys().prefix(50) { _ = store.get(SettingsService.StorageKey(name, scope: .defaults)) }
    }

    private static func set(_ value: Data, _ store: PropertyListStore) -> Bool {
        do {
            try store.set(key, to: value)
            return true
        } catch {
            // Refused in words.
            return false
        }
    }

    // MARK: Seeds

    /// Files as stores leave them, so that they always have the present format.
    static func seeds() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        func add(_ list: Data?, _ log: Data?) {
            let files = FuzzInput.file(list ?? Data()) + Array(log ?? Data())
            for flag: UInt8 in [0, 16, 32] { seeds.append([flag] + files) }
        }
        let disk = SimulatedDisk()
        let store = try open(disk)
        func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }
        try store.set(key("count"), to: Data("640".utf8))
        try store.set(key("text"), to: Data("\"dark\"".utf8))
        add(nil, disk.contents(of: logPath))
        try store.bringUpToDate()
        let first = (disk.contents(of: path), disk.contents(of: logPath))
        add(first.0, first.1)
        try store.set(key("text"), to: nil)
        try store.set(key("data"), to: Data([0, 1, 2]))
        add(disk.contents(of: path), disk.contents(of: logPath))
        // An edit from outside, imported.
        let edited = String(decoding: disk.contents(of: path) ?? Data(), as: UTF8.self)
            .replacingOccurrences(of: "640", with: "641")
        try disk.replace(path, with: Data(edited.utf8))
        try store.refresh()
        add(disk.contents(of: path), disk.contents(of: logPath))
        try store.bringUpToDate()
        add(disk.contents(of: path), disk.contents(of: logPath))
        add(disk.contents(of: path), first.1)
        add(Data("<plist><dict><key>count</key><integer>1</integer></di".utf8), first.1)
        return seeds
    }
}
