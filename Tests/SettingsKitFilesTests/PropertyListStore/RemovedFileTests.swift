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

    @Test("A property list in a new directory is read at once, though an open file keeps the old directory")
    func newDirectory() async throws {
        try await withTemporaryDirectory { base in
            let directory = "\(base)/x/y"
            func makeFile(_ value: Int) throws {
                for path in ["\(base)/x", directory] { try makeDirectory(path) }
                try write(xml("<key>a</key><integer>\(value)</integer>"), to: "\(directory)/Settings.plist")
            }
            try makeFile(1)
            let service = SettingsService.over(try reader("\(directory)/Settings.plist")).service
            let log = Recorder<Int>()
            let subscription = service.observe(Self.a) { log.append($0.newValue) }
            // When this is noticed, the directory is watched.
            try write(xml("<key>a</key><integer>2</integer>"), to: "\(directory)/Settings.plist")
            #expect(try await eventually { log.all.last == 2 })
            let system = POSIXFileSystem()
            let file = try system.openForReading("\(directory)/Settings.plist")
            defer { system.close(file) }
            let begin = ContinuousClock.now
            try removeAll("\(base)/x")
            try makeFile(3)
            #expect(try await eventually { log.all.last == 3 })
            // Not with the next round, in up to 12 seconds.
            #expect(ContinuousClock.now - begin < .seconds(9))
            subscription.cancel()
        }
    }

    @Test("synchronize notices at once that the file is gone")
    func synchronize() throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            let store = try reader(path)
            try removeAll(path)
            try store.bringUpToDate()
            #expect(store.get(key("a")) == nil)
        }
    }

    @Test("A program that removes the file for a moment while it edits it removes no value")
    func momentarily() async throws {
        try await withPropertyList { path in
            var isMomentary = false
            // On a busy machine, a round may take longer than a moment, and shows nothing then.
            while !isMomentary {
                try write(xml("<key>a</key><integer>1</integer>"), to: path)
                let store = try reader(path)
                let log = Recorder<Int>()
                let service = SettingsService.over(store).service
                let subscription = service.observe(Self.a) { log.append($0.newValue) }
                let start = ContinuousClock.now
                try removeAll(path)
                try store.refresh()
                let value = store.get(key("a"))
                try write(xml("<key>a</key><integer>2</integer>"), to: path)
                try store.refresh()
                isMomentary = ContinuousClock.now - start < PropertyListTimings.suspicionTime
                if isMomentary {
                    #expect(value == Data("1".utf8))
                    // The watch may have noticed the edit first; it then calls the listeners in its own thread.
                    #expect(try await eventually { !log.all.isEmpty })
                    #expect(log.all == [2])
                }
                subscription.cancel()
            }
        }
    }

    @Test("Noticing that the files and their directory are gone creates nothing; the next change does")
    func nothingIsCreated() throws {
        try withTemporaryDirectory { directory in
            let folder = directory + "/folder"
            try makeDirectory(folder)
            let path = folder + "/Settings.plist"
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            try removeAll(folder)
            try store.refresh()
            #expect(!FileManager.default.fileExists(atPath: folder))
            #expect(store.get(key("a")) == Data("1".utf8))
            try store.set(key("b"), to: Data("2".utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1), "b": .integer(2)])
        }
    }

    @Test("The values stay where another process writes")
    func withWriters() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let other = try PropertyListStore(path: path, fileSystem: FaultyFileSystem())
            try other.set(key("a"), to: Data("1".utf8))
            try other.bringUpToDate()
            let store = try reader(path)
            try removeAll(path)
            try store.bringUpToDate()
            #expect(store.get(key("a")) == Data("1".utf8))
        }
    }

    @Test("A file that does not exist, nor its directory, is read as soon as it appears")
    func appears() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/later/Settings.plist"
            let store = try reader(path)
            let service = SettingsService.over(store).service
            let log = Recorder<Int>()
            let subscription = service.observe(Self.a) { log.append($0.newValue) }
            try makeDirectory(directory + "/later")
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            #expect(try await eventually { log.all == [1] })
            subscription.cancel()
        }
    }
}
