import Foundation
import SettingsKitCore
import Synchronization
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("Changes in the directory are noticed", .timeLimit(Rounds.timeLimit))
struct NoticingDirectoryTests {
    private func open(
        _ shared: String, _ state: String, isPolling: Bool, _ fileSystem: any FileSystem = POSIXFileSystem()
    ) throws -> DirectoryStore {
        var options = DirectoryStore.Options()
        options.pollInterval = isPolling ? .milliseconds(20) : .seconds(86_400)
        return try DirectoryStore(
            directory: shared, state: state, fileSystem: fileSystem, options: options, isWatching: true)
    }

    @Test(
        "Changes in the directory are noticed: by events alone, and by looking alone where there are none",
        arguments: [true, false])
    func noticed(isPolling: Bool) async throws {
        try await withTemporaryDirectory { directory in
            // A watch needs the directory's real path; through a file descriptor's link there are no events.
            let (one, other) = (directory + "/one", directory + "/other")
            for path in [one, other] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            let writer = try open(one, directory + "/state1", isPolling: false)
            let reader = try open(other, directory + "/state2", isPolling: isPolling)
            let heard = Recorder<Int>()
            let (service, _) = SettingsService.over(reader)
            let subscription = service.observe(Setting<Int>("a", in: .defaults, default: 0)) {
                heard.append($0.newValue)
            }
            for round in 1...3 {
                try writer.set(key("a"), to: Data("\(round)".utf8))
                try writer.synchronize()
                for name in try names(in: one) {
                    try bytes(of: "\(one)/\(name)").write(
                        to: URL(fileURLWithPath: "\(other)/\(name)"), options: .atomic)
                }
                #expect(try await eventually { heard.all.last == round })
            }
            #expect(heard.all == [1, 2, 3])
            subscription.cancel()
        }
    }

    @Test("A change reaches the directory soon without a request, and when the store is released")
    func exported() async throws {
        try await withTemporaryDirectory { directory in
            let shared = directory + "/shared"
            func isThere(_ value: String) throws -> Bool {
                try names(in: shared).contains { name in
                    // A temporary file is gone by then.
                    guard let bytes = FileManager.default.contents(atPath: "\(shared)/\(name)") else { return false }
                    return String(decoding: bytes, as: UTF8.self).contains(value)
                }
            }
            try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
            var store: DirectoryStore? = try open(shared, directory + "/state", isPolling: false)
            try store?.set(key("a"), to: Data("\"first\"".utf8))
            #expect(try await eventually { try isThere("first") })
            try store?.set(key("a"), to: Data("\"second\"".utf8))
            store = nil
            #expect(try await eventually { try isThere("second") })
        }
    }

    @Test("While the directory does not answer, values are read and set all the same")
    func hanging() async throws {
        try await withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let store = try open(directory + "/shared", directory + "/state", isPolling: false, fileSystem)
            try store.synchronize()
            let (hangs, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let isReleased = Atomic(false)
            fileSystem.after { call in
                guard call == .names, !isReleased.load(ordering: .relaxed) else { return }
                hangs.signal()
                mayGoOn.wait()
            }
            let ended = onThread { try store.synchronize() }
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    hangs.wait()
                    continuation.resume()
                }
            }
            try store.set(key("a"), to: Data("1".utf8))
            #expect(store.get(key("a")) == Data("1".utf8))
            #expect(ended.all.isEmpty)
            isReleased.store(true, ordering: .relaxed)
            for _ in 0..<100 { mayGoOn.signal() }
            #expect(try await eventually { ended.all == [true] })
        }
    }

    @Test("A FIFO, a device and a file of a gigabyte do not block the store")
    func special() throws {
        try withTemporaryDirectory { directory in
            let shared = directory + "/shared"
            try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
            try #require(mkfifo(shared + "/Settings-fifo.jsonl", 0o600) == 0)
            let large = shared + "/Settings-large.jsonl"
            try write(LogLine.magic, to: large)
            try #require(truncate(large, 1 << 30) == 0)
            let foreign = shared + "/large"
            try write("x", to: foreign)
            try #require(truncate(foreign, 1 << 30) == 0)
            let store = try open(shared, directory + "/state", isPolling: false)
            try store.set(key("a"), to: Data("1".utf8))
            try store.synchronize()
            #expect(store.report.problems.map(\.kind) == [.tooLarge])
            #expect(store.replicas.count == 1)
        }
    }
}
