import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Testing

@testable import SettingsKitFiles

@Suite("A property list that is removed while it is open")
struct RemovedFileTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)

    private func reader(_ path: String) throws -> PropertyListStore {
        try PropertyListStore(url: URL(fileURLWithPath: path), access: .readOnly)
    }

    @Test("A store that only reads loses the values of a removed file, and has those of a new one")
    func readOnly() async throws {
        try await withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            let store = try reader(path)
            let log = Recorder<String>()
            let service = SettingsService.over(store).service
            let subscription = service.observe(Self.a) { log.append("\($0.oldValue) to \($0.newValue), \($0.origin)") }
            try removeAll(path)
            #expect(try await eventually { store.get(key("a")) == nil })
            #expect(store.keys().isEmpty)
            try write(xml("<key>a</key><integer>2</integer>"), to: path)
            #expect(try await eventually { log.count == 2 })
            #expect(log.all == ["1 to 0, external", "0 to 2, external"])
            subscription.cancel()
        }
    }

    @Test("A list that was edited while nothing ran, and is removed while a store is open, is printed again")
    func removedAfterEdit() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            func open() throws -> PropertyListStore {
                try PropertyListStore(path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            }
            do {
                let store = try open()
                try store.set(key("a"), to: Data("1".utf8))
                try store.bringUpToDate()
            }
            try write(xml("<key>a</key><integer>2</integer>"), to: path)
            let store = try open()
            #expect(store.get(key("a")) == Data("2".utf8))
            try FileManager.default.removeItem(atPath: path)
            try store.set(key("c"), to: Data("3".utf8))
            try store.bringUpToDate()
            #expect(store.get(key("c")) == Data("3".utf8))
            #expect(try names(in: directory).filter { $0.contains(".stale") }.isEmpty)
        }
    }

    @Test("When the files go, with their directory or without, nothing is made until the next change, which makes them")
    func gone() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/folder/Settings.plist"
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            try removeAll(path)
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1)])
            try removeAll(directory + "/folder")
            try store.refresh()
            #expect(!FileManager.default.fileExists(atPath: directory + "/folder"))
            try store.set(key("b"), to: Data("2".utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1), "b": .integer(2)])
        }
    }
}
