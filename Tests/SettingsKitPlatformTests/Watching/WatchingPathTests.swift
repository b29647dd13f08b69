import Foundation
import Testing

@testable import SettingsKitPlatform

@Suite("Watching a directory that comes and goes", .timeLimit(Rounds.timeLimit))
struct WatchingPathTests {
    /// A watched path, below a temporary directory, and what makes it lead to another directory that is there afterwards.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var path: String
        var isOnDarwin = true
        var prepare: @Sendable (_ base: String) throws -> Void = { _ in }
        var change: @Sendable (_ base: String) throws -> Void
    }

    static let cases: [Case] = [
        Case(testDescription: "made", path: "a") { try makeDirectory("\($0)/a") },
        Case(testDescription: "made, two levels above it missing", path: "a/b/c") { base in
            for path in ["a", "a/b", "a/b/c"] { try makeDirectory("\(base)/\(path)") }
        },
        Case(testDescription: "moved there with what it is in", path: "a/b") { base in
            for path in ["x", "x/b"] { try makeDirectory("\(base)/\(path)") }
        } change: {
            try move("\($0)/x", to: "\($0)/a")
        },
        Case(testDescription: "made in the place of a file", path: "a/b") {
            try write("", to: "\($0)/a")
        } change: { base in
            try removeAll("\(base)/a")
            for path in ["a", "a/b"] { try makeDirectory("\(base)/\(path)") }
        },
        Case(testDescription: "removed and made again", path: "a") {
            try makeDirectory("\($0)/a")
        } change: {
            try removeAll("\($0)/a")
            try makeDirectory("\($0)/a")
        },
        Case(testDescription: "moved away and made again", path: "a") {
            try makeDirectory("\($0)/a")
        } change: {
            try move("\($0)/a", to: "\($0)/b")
            try makeDirectory("\($0)/a")
        },
        Case(testDescription: "another link put in the place of a link", path: "link", isOnDarwin: false) { base in
            for path in ["a", "b"] { try makeDirectory("\(base)/\(path)") }
            try link("\(base)/link", to: "a")
            try link("\(base)/new", to: "b")
        } change: {
            try move("\($0)/new", to: "\($0)/link")
        },
        Case(testDescription: "removed with its files, and made again", path: "a") { base in
            try makeDirectory("\(base)/a")
            for name in ["a", "other"] { try write("1", to: "\(base)/a/\(name)") }
        } change: {
            try removeAll("\($0)/a")
            try makeDirectory("\($0)/a")
        },
        Case(testDescription: "renamed over the empty directory", path: "a") { base in
            for path in ["a", "b"] { try makeDirectory("\(base)/\(path)") }
        } change: {
            try move("\($0)/b", to: "\($0)/a")
        },
    ]

    private let watcher = DirectoryWatcher()

    private static var isDarwin: Bool {
        #if canImport(Darwin)
            true
        #else
            false
        #endif
    }

    @Test(
        "A directory that appears at the watched path is reported, and the watch goes on there, also if open files keep the old one",
        arguments: cases, [false, true])
    func followed(_ item: Case, areFilesOpen: Bool) async throws {
        if Self.isDarwin && !item.isOnDarwin { return }
        try await withTemporaryDirectory { base in
            try item.prepare(base)
            let names = FileManager.default.enumerator(atPath: base)?.compactMap { $0 as? String } ?? []
            let descriptors = areFilesOpen ? names.map { open("\(base)/\($0)", O_RDONLY) }.filter { $0 != -1 } : []
            defer { for descriptor in descriptors { close(descriptor) } }
            let events = WatchedEvents()
            let watch = try watcher.watch("\(base)/\(item.path)", events)
            try item.change(base)
            await events.wait(for: .unknown)
            #expect(watch.isWorking)
            try await events.settle("\(base)/\(item.path)")
            #expect(watch.isWorking)
        }
    }

    @Test("The loss of a directory is reported, and later changes in it elsewhere are not", arguments: [false, true])
    func gone(isMoved: Bool) async throws {
        try await withTemporaryDirectory { base in
            let directory = "\(base)/directory"
            try makeDirectory(directory)
            let events = WatchedEvents()
            let watch = try watcher.watch(directory, events)
            if isMoved { try move(directory, to: "\(base)/other") } else { try removeAll(directory) }
            await events.wait(for: .unknown)
            #expect(watch.isWorking)
            if isMoved {
                let others = WatchedEvents()
                let other = try watcher.watch("\(base)/other", others)
                try write("1", to: "\(base)/other/a")
                try await others.settle("\(base)/other")
                #expect(!events.all.contains(.changed(name: "a")))
                other.cancel()
            }
            try makeDirectory(directory)
            try await events.settle(directory)
            #expect(watch.isWorking)
        }
    }

    @Test("A path that leads round in circles cannot be watched, and a watch that cannot be renewed says so")
    func circle() async throws {
        try await withTemporaryDirectory { base in
            try makeDirectory("\(base)/a")
            let events = WatchedEvents()
            let watch = try watcher.watch("\(base)/a", events)
            try removeAll("\(base)/a")
            try link("\(base)/a", to: "a")
            #expect(try await eventually { !watch.isWorking })
            #expect(events.all.contains(.unknown))
            #expect(watcher.watch("\(base)/a", names: []) { _ in } == nil)
        }
    }
}
