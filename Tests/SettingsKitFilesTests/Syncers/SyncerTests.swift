import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

/// Devices with a real directory each, between which only a real syncer carries anything.
@Suite("Real syncers", .serialized, .timeLimit(Rounds.timeLimit), .ownThreads)
struct SyncerTests {
    private struct Replica: Sendable {
        let name: String
        let directory: String
        let store: DirectoryStore

        init(_ name: String, in parent: String) throws {
            self.name = name
            directory = "\(parent)/\(name)"
            var options = DirectoryStore.Options()
            options.deviceName = name
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            store = try DirectoryStore(
                at: URL(fileURLWithPath: directory), state: URL(fileURLWithPath: "\(parent)/state of \(name)"),
                options: options)
        }

        func set(_ name: String, _ value: String?) throws { try store.set(key(name), to: value.map { Data($0.utf8) }) }

        var values: [String: Data] {
            Dictionary(
                uniqueKeysWithValues: store.keys().compactMap { name in store.get(key(name)).map { (name, $0) } })
        }
    }

    /// Lets each device set, change and remove something, together with the others and after them.
    ///
    /// - Parameter carry: One pass of the syncer over all directories.
    private func agree(_ replicas: [Replica], carry: () async throws -> Void) async throws {
        func exchange(until condition: () -> Bool, _ comment: Comment) async throws {
            // rsync compares whole seconds: in the second of a change, it may carry an older copy over a device's own file, which
            // the device then writes again.
            let isMet = try await eventually(within: 20) {
                for replica in replicas { try replica.store.synchronize() }
                try await carry()
                for replica in replicas { try replica.store.synchronize() }
                return condition()
            }
            if !isMet { Issue.record(comment) }
        }
        func areEqual() -> Bool { replicas.allSatisfy { $0.values == replicas[0].values } }

        let many = (0..<150).map { SettingsStoreBatch.Entry(key: key("one of many \($0)"), data: Data("1".utf8)) }
        _ = try replicas[0].store.apply(SettingsStoreBatch(writes: many))
        for replica in replicas {
            try replica.set("of \(replica.name)", "1")
            try replica.set("common", "\"\(replica.name)\"")
            try replica.set("removed", "1")
        }
        try await exchange(
            until: { areEqual() && replicas[0].values.count >= many.count + replicas.count + 2 }, "not all has arrived")
        let last = try #require(replicas.last)
        try replicas[0].set("removed", nil)
        try last.set("common", "\"after all\"")
        try replicas[0].set("of \(last.name)", "2")
        try await exchange(
            until: {
                areEqual() && replicas[0].values.count >= many.count + replicas.count + 1
                    && replicas[0].values["removed"] == nil
            }, "a removal has not arrived")
        #expect(replicas[0].values["common"] == Data("\"after all\"".utf8))
        #expect(last.values["of \(last.name)"] == Data("2".utf8))
        for replica in replicas {
            #expect(Set(replica.store.replicas.map(\.deviceName)) == Set(replicas.map(\.name)))
            #expect(replica.store.report.problems.isEmpty)
        }
    }

    private func carry(
        _ tool: String, _ arguments: [String], _ environment: [String: String] = [:], allowing statuses: Set<Int32>
    ) throws {
        let result = try Tool(tool).run(arguments, environment: environment)
        guard statuses.contains(result.status) else {
            throw ToolError("\(tool) ended with \(result.status)\n\(result.text)")
        }
    }

    @Test(
        "rsync both ways brings all devices into agreement",
        .enabled(if: Tool.rsync.isInstalled, "rsync is not installed"), arguments: [2, 3])
    func rsync(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let replicas = try ["ann", "bob", "cy"].prefix(count).map { try Replica($0, in: directory) }
            try await agree(replicas) {
                for (one, other) in zip(replicas, replicas.dropFirst()) {
                    for (source, target) in [(one, other), (other, one)] {
                        try carry(
                            "rsync", ["-rtu", "\(source.directory)/", "\(target.directory)/"], allowing: [0, 24])
                    }
                }
            }
        }
    }

    @Test(
        "unison brings all devices into agreement",
        .enabled(if: Tool.unison.isInstalled, "unison is not installed"), arguments: [2, 3])
    func unison(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let replicas = try ["ann", "bob", "cy"].prefix(count).map { try Replica($0, in: directory) }
            let environment = ["UNISON": "\(directory)/state", "HOME": directory, "UNISONLOCALHOSTNAME": "localhost"]
            let options = ["-batch", "-ui", "text", "-color", "false", "-times", "-fastcheck", "false"]
            try makeDirectory("\(directory)/state")
            try await agree(replicas) {
                for (one, other) in zip(replicas, replicas.dropFirst()) {
                    // Both versions of a file stay.
                    let arguments =
                        [one.directory, other.directory] + options + ["-copyonconflict", "-prefer", "newer"]
                    try carry("unison", arguments, environment, allowing: [0, 1, 2])
                }
            }
        }
    }

    @Test(
        "syncthing brings all devices into agreement",
        .enabled(if: Tool.syncthing.isInstalled && Tool.curl.isInstalled, "syncthing or curl is not installed"),
        arguments: [2, 3])
    func syncthing(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let replicas = try ["ann", "bob", "cy"].prefix(count).map { try Replica($0, in: directory) }
            let network = try await SyncthingNetwork(sharing: replicas.map(\.directory))
            try await agree(replicas) { try await network.settle() }
        }
    }

    @Test(
        "Conflict copies that syncthing makes of a cloned device's file are merged",
        .enabled(if: Tool.syncthing.isInstalled && Tool.curl.isInstalled, "syncthing or curl is not installed"))
    func clonedOverSyncthing() async throws {
        try await withTemporaryDirectory { directory in
            // A device whose state is then copied, as by a restored backup or with a home directory. No machine of the two
            // has the directory in which it was.
            try await Worker.run("fill", "\(directory)/shared", "before", "1")
            try FileManager.default.copyItem(
                atPath: "\(directory)/shared-state", toPath: "\(directory)/state of clone")
            try FileManager.default.moveItem(
                atPath: "\(directory)/shared-state", toPath: "\(directory)/state of ann")
            try FileManager.default.moveItem(atPath: "\(directory)/shared", toPath: "\(directory)/ann")
            let first = try Replica("ann", in: directory)
            let clone = try Replica("clone", in: directory)
            let replicas = [first, clone]
            let network = try await SyncthingNetwork(sharing: replicas.map(\.directory))
            try await network.disconnect()
            for replica in replicas {
                try replica.set("of \(replica.name)", "1")
                try replica.store.synchronize()
            }
            try await network.connect()
            try await agree(replicas) { try await network.settle() }
            #expect(first.values["before 0"] == Data("0".utf8))
        }
    }
}
