import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Processes share a directory's state, and are killed", .timeLimit(Rounds.timeLimit), .ownThreads)
struct DirectoryProcessTests {
    /// What another device has when it comes to the directory.
    private func another(_ directory: String) throws -> DirectoryStore {
        try DirectoryStore(
            directory: directory + "/shared", state: directory + "/another", fileSystem: POSIXFileSystem())
    }

    @Test("Concurrent changes of several processes are all kept, also for another device, as one replica")
    func together() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/shared"
            let workers =
                try (0..<2).map { _ in try Worker("count", path, "1000") }
                + (0..<2).map { try Worker("fill", path, "worker \($0)", "300") }
            for worker in workers { #expect(await worker.status() == 0) }
            let store = try another(directory)
            #expect(try store.number("counter") == 2_000)
            #expect(store.keys().count == 601)
            #expect(store.replicas.filter { !$0.isOwn }.count == 1)
        }
    }

    @Test("Every acknowledged change survives the killing of its process, also for another device")
    func killed() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/shared"
            for round in 1...Rounds.choose(20, full: 50) {
                let worker = try Worker("write", path)
                let acknowledged = await worker.runUntilKilled(afterLines: round)
                let store = try DirectoryStore(
                    directory: path, state: path + "-state", fileSystem: POSIXFileSystem())
                #expect(try (acknowledged...(acknowledged + 1)).contains(store.number("own")))
                #expect(try store.number("left") == store.number("right"))
                #expect(try store.number("left") >= acknowledged)
                try store.synchronize()
                #expect(store.replicas.count == 1)
            }
            let store = try another(directory)
            // The last process was killed between the two, perhaps.
            #expect(try (0...1).contains(store.number("own") - store.number("left")))
            #expect(try store.number("left") > 0)
        }
    }
}
