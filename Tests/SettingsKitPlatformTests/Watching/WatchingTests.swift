import Foundation
import Testing

@testable import SettingsKitPlatform

@Suite("Watching a directory", .timeLimit(Rounds.timeLimit))
struct WatchingTests {
    enum Change: CaseIterable, Sendable {
        case made, written, touched, replaced, movedAway, removed, attributes

        func prepare(_ directory: String) throws {
            if self != .made { try write("old", to: "\(directory)/a") }
            if self == .replaced { try write("new", to: "\(directory)/b") }
        }

        func make(_ directory: String) throws {
            let path = "\(directory)/a"
            switch self {
            case .made, .written: try write("new", to: path)
            case .touched: try POSIXFileSystem().touch(path)
            case .replaced: try move("\(directory)/b", to: path)
            case .movedAway: try move(path, to: "\(directory)/b")
            case .removed: try removeAll(path)
            case .attributes: try #require(chmod(path, 0o600) == 0)
            }
        }
    }

    /// Not the one of the process, which may still receive events from before a test.
    private let watcher = DirectoryWatcher()

    @Test("A requested change of a file is reported, and nothing else", arguments: Change.allCases)
    func change(_ change: Change) async throws {
        try await withTemporaryDirectory { directory in
            try change.prepare(directory)
            let events = WatchedEvents()
            let watch = try watcher.watch(directory, events)
            try write("", to: "\(directory)/not requested")
            try change.make(directory)
            await events.wait(for: .changed(name: "a"))
            try write("", to: "\(directory)/end")
            await events.wait(for: .changed(name: "end"))
            #expect(Set(events.all.map { "\($0)" }).count == 2)
            #expect(watch.isWorking)
        }
    }

    @Test("Watches of one directory receive the events each has requested, under any path", arguments: [false, true])
    func shared(throughLink: Bool) async throws {
        try await withTemporaryDirectory { base in
            let directory = "\(base)/directory"
            try makeDirectory(directory)
            try link("\(base)/link", to: "directory")
            let (first, second) = (WatchedEvents(), WatchedEvents())
            let watch = try watcher.watch(directory, names: ["a", "b"], first)
            let other = try watcher.watch(
                throughLink ? "\(base)/link" : directory, names: ["b", "end"], second)
            try write("1", to: "\(directory)/b")
            await first.wait(for: .changed(name: "b"))
            await second.wait(for: .changed(name: "b"))
            watch.cancel()
            let count = first.all.count
            try write("1", to: "\(directory)/a")
            try write("2", to: "\(directory)/b")
            try write("1", to: "\(directory)/end")
            await second.wait(for: .changed(name: "end"))
            #expect(first.all.count == count)
            #expect(!second.all.contains(.changed(name: "a")))
            #expect(other.isWorking)
        }
    }

    @Test("A handler may cancel its watch, and make another")
    func cancelInHandler() async throws {
        try await withTemporaryDirectory { directory in
            let events = WatchedEvents()
            let watches = Recorder<DirectoryWatcher.Watch>()
            let watch = watcher.watch(directory, names: ["a"]) { [watcher] event in
                watches.all.first?.cancel()
                if let other = try? watcher.watch(directory, events) { watches.append(other) }
                events.append(event)
            }
            watches.append(try #require(watch))
            try write("1", to: "\(directory)/a")
            await events.wait(for: .changed(name: "a"))
            #expect(watch?.isWorking == false)
            try write("1", to: "\(directory)/end")
            await events.wait(for: .changed(name: "end"))
        }
    }
}
