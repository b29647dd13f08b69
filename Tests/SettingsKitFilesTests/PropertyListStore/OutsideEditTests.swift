import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Testing

@testable import SettingsKitFiles

@Suite("Edits of an open file by other programs")
struct OutsideEditTests {
    // The watch may notice an edit before `bringUpToDate` does. It then calls listeners, and reports problems, in its own
    // thread; therefore what they receive is waited for.

    private static let names = ["a", "b", "c", "d"]

    private static func setting(_ name: String) -> Setting<Int> { Setting<Int>(name, in: .defaults, default: 0) }

    private static func file(_ values: KeyValuePairs<String, Int>) -> Data {
        Data(xml(values.map { "<key>\($0.key)</key><integer>\($0.value)</integer>" }.joined()).utf8)
    }

    @Test(
        "An edit that cannot be imported while another process keeps the lock is not printed over",
        arguments: [true, false])
    func lateImport(isRemoval: Bool) throws {
        try withPropertyList { path in
            func open() throws -> PropertyListStore {
                try PropertyListStore(
                    path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400),
                    patience: .milliseconds(1))
            }
            do {
                let store = try open()
                try store.set(key("a"), to: Data("1".utf8))
                try store.bringUpToDate()
            }
            var other = LogLock(path: path + "-lock")
            #expect(try other.acquire(in: POSIXFileSystem()))
            if isRemoval {
                try FileManager.default.removeItem(atPath: path)
            } else {
                try write(Self.file(["a": 2]), to: path)
            }
            let store = try open()
            #expect(throws: SettingsError.self) { try store.set(key("b"), to: Data("3".utf8)) }
            for _ in 0..<2 { _ = try? store.refresh() }
            other.close(in: POSIXFileSystem())
            try store.set(key("b"), to: Data("3".utf8))
            try store.bringUpToDate()
            #expect(store.get(key("a")) == (isRemoval ? nil : Data("2".utf8)))
            #expect(try members(of: path) == (isRemoval ? ["b": .integer(3)] : ["a": .integer(2), "b": .integer(3)]))
        }
    }

    @Test("A list that was damaged for a moment, and then is as it was, is printed again, without a copy")
    func damagedForAMoment() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let store = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400), editingTime: .zero)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            let printed = try bytes(of: path)
            try write(Data(), to: path)
            try store.refresh()
            try write(printed, to: path)
            try store.refresh()
            try store.set(key("b"), to: Data("2".utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1), "b": .integer(2)])
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(!files.contains { $0.contains(".damaged") })
        }
    }

    @Test(
        "An edit wins, except for what has been changed since the file was printed; only differences are published",
        arguments: [true, false])
    func edit(isByRename: Bool) async throws {
        try await withPropertyList { path in
            try write(Self.file(["a": 1, "b": 1, "c": 1, "d": 1]), to: path)
            let (service, problems) = SettingsService.over(try open(path))
            let log = Recorder<String>()
            let subscriptions = Self.names.map { name in
                service.observe(Self.setting(name)) {
                    log.append("\(name) \($0.oldValue) \($0.newValue) \($0.origin)")
                }
            }
            func edit(_ edited: Data) throws {
                try edited.write(to: URL(fileURLWithPath: path), options: isByRename ? .atomic : [])
                try service.bringUpToDate()
            }
            let edited = Self.file(["a": 1, "b": 2, "c": 1, "d": 1])
            try edit(edited)
            #expect(try await eventually { log.all == ["b 1 2 external"] })
            #expect(try bytes(of: path) == edited)
            service.set(Self.setting("a"), to: 5)
            service.reset(Self.setting("d"))
            try edit(Self.file(["a": 7, "b": 3, "d": 8]))
            #expect(Self.names.map { service.get(Self.setting($0)) } == [5, 3, 0, 0])
            #expect(try await eventually { log.count == 5 })
            #expect(
                Set(log.all.dropFirst()) == ["a 1 5 local", "d 1 0 local", "b 2 3 external", "c 1 0 external"])
            #expect(try members(of: path) == ["a": .integer(5), "b": .integer(3)])
            #expect(problems.all.isEmpty)
            withExtendedLifetime(subscriptions) {}
        }
    }

    @Test("An edit in place right after our rename is in force, but for the names that were just printed")
    func editAfterRename() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("1".utf8))
            let once = Recorder<Bool>()
            fileSystem.after { call in
                guard call == .rename, once.all.isEmpty else { return }
                once.append(true)
                #expect(throws: Never.self) { try write(Self.file(["a": 2, "b": 3]), to: path) }
            }
            try store.bringUpToDate()
            #expect(once.all.count == 1)
            #expect(try members(of: path) == ["a": .integer(1), "b": .integer(3)])
            #expect(store.get(key("b")) == Data("3".utf8))
        }
    }

    @Test("An old list that is put back is an edit, which is imported once")
    func putBack() throws {
        let disk = try emptyDisk()
        let (store, other) = (try quietStore(disk.process()), try quietStore(disk.process()))
        try store.set(key("a"), to: Data("1".utf8))
        try store.bringUpToDate()
        let old = try #require(disk.contents(of: Start.path))
        try store.set(key("a"), to: Data("2".utf8))
        try store.bringUpToDate()
        try disk.replace(Start.path, with: old)
        try store.synchronize()
        try other.refresh()
        #expect(store.values == ["a": Data("1".utf8)] && other.values == store.values)
        let size = disk.contents(of: Start.path + "-log")?.count
        for store in [other, store] { try store.synchronize() }
        #expect(disk.contents(of: Start.path + "-log")?.count == size)
    }
}
