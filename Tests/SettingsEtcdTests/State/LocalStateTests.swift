import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension LocalState {
    /// Stores the whole state of a cluster.
    fileprivate func replaceKnown(
        with values: [String: ClusterContents.Known], revision: Int64, of cluster: UInt64
    ) throws {
        try update(.init(cluster: cluster, all: values, revision: revision))
    }
}

@Suite("The local files of one folder")
struct LocalStateTests {
    private let range = KeyRange(prefix: "p/")

    private func open(_ directory: String) throws -> LocalState {
        try LocalState(folder: directory, prefix: "p/", addresses: ["http://one"], keepsWrites: true)
    }

    private func known(_ name: String, _ text: String, _ revision: Int64) -> [String: ClusterContents.Known] {
        [name: .init(key: range.key(of: name), data: Data(text.utf8), modRevision: revision)]
    }

    private func texts(_ state: LocalState) -> [String: String] {
        state.known(in: range).mapValues { String(decoding: $0.data, as: UTF8.self) }
    }

    private func write(_ id: QueuedWrite.ID, _ text: String, base: Int64) -> QueuedWrite {
        var write = QueuedWrite(id: id, writes: ["a": Data(text.utf8)], isAccepted: true)
        (write.bases, write.hasWaited) = (["a": base], true)
        return write
    }

    /// Opens a file after one has learnt something ahead of its revision, 10, and another, by the watch, has come to 15.
    ///
    /// - Parameter isOpen: Whether the first is still open, so that the file is the other's; otherwise it is the first's.
    private func opened(
        after ahead: LocalState.Update, isOpen: Bool, in directory: String, _ body: (LocalState) throws -> Void
    ) throws {
        var first: LocalState? = try open(directory)
        try first?.replaceKnown(with: known("a", "old", 5), revision: 10, of: 1)
        var second: LocalState? = try open(directory)
        try second?.replaceKnown(with: known("a", "old", 5), revision: 15, of: 1)
        try first?.update(ahead)
        second = nil
        if !isOpen { first = nil }
        try body(try open(directory))
        withExtendedLifetime(first) {}
    }

    @Test(
        "A value ahead of the file's revision stays when another program stores a later revision",
        arguments: [true, false])
    func ahead(isOpen: Bool) throws {
        try withTemporaryDirectory { directory in
            let seen = known("a", "new", 20).mapValues { ClusterContents.Seen(known: $0) }
            let new = LocalState.Update(cluster: 1, seen: seen, revision: 10)
            try opened(after: new, isOpen: isOpen, in: directory) { next in
                #expect(texts(next) == ["a": "new"] && next.revision == 15)
            }
        }
    }

    @Test(
        "A removal ahead of the file's revision stays when another program stores a later revision",
        arguments: [true, false])
    func removedAhead(isOpen: Bool) throws {
        try withTemporaryDirectory { directory in
            let removal = LocalState.Update(cluster: 1, seen: ["a": .init(revision: 20)], revision: 10)
            try opened(after: removal, isOpen: isOpen, in: directory) { next in
                #expect(texts(next).isEmpty && next.revision == 15)
                try next.replaceKnown(with: known("a", "again", 30), revision: 30, of: 1)
                #expect(texts(next) == ["a": "again"])
            }
        }
    }

    @Test("Values that a restoration of the cluster has lost do not come back")
    func restored() throws {
        try withTemporaryDirectory { directory in
            var first: LocalState? = try open(directory)
            try first?.replaceKnown(with: known("a", "lost", 900), revision: 1_000, of: 1)
            var second: LocalState? = try open(directory)
            #expect(second.map(texts) == ["a": "lost"])
            try second?.replaceKnown(with: known("a", "restored", 400), revision: 500, of: 1)
            (first, second) = (nil, nil)
            for _ in 0..<2 {
                let next = try open(directory)
                #expect(texts(next) == ["a": "restored"] && next.revision == 500)
            }
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("A write is read again with the base that was stored last")
    func rebased() throws {
        try withTemporaryDirectory { directory in
            var state: LocalState? = try open(directory)
            try state?.accept(write(1, "1", base: 5))
            try state?.accept(write(2, "2", base: 5))
            try state?.update(.init(cluster: 1, ended: [1], rebased: [write(2, "2", base: 6)], revision: 0))
            state = nil
            #expect(try open(directory).pending() == [write(2, "2", base: 6)])
        }
    }

    @Test("An unlocked file belongs to the next store")
    func unlocked() throws {
        try withTemporaryDirectory { directory in
            let first = try open(directory)
            try first.accept(write(1, "1", base: 5))
            let beside = try open(directory)
            #expect(beside.pending().isEmpty)
            first.unlock()
            #expect(try open(directory).pending() == [write(1, "1", base: 5)])
            withExtendedLifetime((first, beside)) {}
        }
    }
}

@Suite("Opening beside other stores")
struct OpeningTests {
    @Test("A start reads four files, whatever the number of stores that are open")
    func siblings() throws {
        try withTemporaryDirectory { directory in
            let values = (0..<300).map { number in
                (
                    "\(number)",
                    ClusterContents.Known(key: Data("p/\(number)".utf8), data: Data("1".utf8), modRevision: 1)
                )
            }
            func open(_ fileSystem: FaultyFileSystem = .init()) throws -> LocalState {
                try LocalState(
                    folder: directory, prefix: "p/", addresses: ["one"], keepsWrites: true, fileSystem: fileSystem)
            }
            var (states, reads) = ([LocalState](), [Int]())
            for _ in 0..<24 {
                let fileSystem = FaultyFileSystem()
                let state = try open(fileSystem)
                reads.append(fileSystem.calls.count { $0 == .openForReading })
                try state.replaceKnown(with: Dictionary(uniqueKeysWithValues: values), revision: 1, of: 1)
                states.append(state)
            }
            // The property lists and journals of the known values and of the own changes. Some are read again if another store
            // brings them up to date meanwhile.
            #expect(reads.allSatisfy { $0 <= 12 }, "\(reads)")
            withExtendedLifetime(states) {}
        }
    }
}

@Suite("The owner of local files")
struct StateOwnerTests {
    private let range = KeyRange(prefix: "p/")

    private func open(
        _ directory: String, addresses: [String] = ["http://one"], _ problems: Recorder<SettingsError> = Recorder()
    ) throws -> LocalState {
        try LocalState(folder: directory, prefix: "p/", addresses: addresses, keepsWrites: true) { problems.append($0) }
    }

    private func write(_ id: QueuedWrite.ID, of cluster: UInt64) -> QueuedWrite {
        QueuedWrite(
            id: id, writes: ["a": Data("\(id)".utf8)], isAccepted: true, bases: ["a": 0], cluster: cluster,
            hasWaited: true)
    }

    @Test(
        "A stored owner is read",
        arguments: [
            StateOwner(addresses: []), StateOwner(cluster: .max, addresses: ["http://a:1", "https://b/\"\u{1}é"]),
        ])
    func roundTrip(owner: StateOwner) throws {
        try withTemporaryDirectory { directory in
            let list = try list(directory)
            try list.apply([:], owner: owner)
            #expect(list.owner == owner)
        }
    }

    @Test("Bytes that are not an owner are none", arguments: ["", "1", "{", "{\"cluster\":-1}", "{\"addresses\":[1]}"])
    func noOwner(text: String) throws {
        try withTemporaryDirectory { directory in
            let list = try list(directory)
            try list.apply([EtcdNames.owner: Data(text.utf8)])
            #expect(list.owner == nil)
        }
    }

    private func list(_ directory: String) throws -> StateList {
        try StateList(directory + "/list.plist", FaultyFileSystem()) { Issue.record($0) }
    }

    @Test("Before the cluster is reached, its values are used with one of its addresses")
    func addresses() throws {
        try withTemporaryDirectory { directory in
            let value = ["a": ClusterContents.Known(key: range.key(of: "a"), data: Data("1".utf8), modRevision: 5)]
            try open(directory, addresses: ["one", "two"]).replaceKnown(with: value, revision: 10, of: 7)
            for (addresses, isUsed) in [(["two", "three"], true), (["three"], false), (["one"], true)] {
                let state = try open(directory, addresses: addresses)
                #expect(state.known(in: range) == (isUsed ? value : [:]) && state.cluster == (isUsed ? 7 : 0))
            }
            // Once the same cluster was reached with the new address, that counts, too.
            try open(directory, addresses: ["three"]).replaceKnown(with: value, revision: 11, of: 7)
            for address in ["one", "two", "three"] {
                #expect(try open(directory, addresses: [address]).cluster == 7)
            }
            try open(directory, addresses: ["three"]).replaceKnown(with: [:], revision: 1, of: 8)
            #expect(try open(directory, addresses: ["one"]).cluster == 0)
            #expect(try open(directory, addresses: ["three"]).cluster == 8)
        }
    }

    @Test("Writes accepted before any cluster was reached are kept aside when all addresses differ")
    func strangers() throws {
        try withTemporaryDirectory { directory in
            let problems = Recorder<SettingsError>()
            try open(directory).accept(write(1, of: 0))
            try open(directory).accept(write(2, of: 7))
            let state = try open(directory, addresses: ["http://two"], problems)
            // That of a cluster is decided on when one is reached.
            #expect(state.pending() == [write(2, of: 7)])
            #expect(problems.codes == [.otherCluster])
            let folder = try #require(problems.all.first?.underlying as? KeptChanges).folder
            #expect(try open(folder).pending() == [write(1, of: 0)])
            try state.keepAside([write(2, of: 7)])
            #expect(state.pending().isEmpty && problems.count == 2)
            let other = try #require(problems.all.last?.underlying as? KeptChanges).folder
            #expect(other != folder)
            let kept = try open(other)
            #expect(kept.pending().map(\.writes) == [write(2, of: 7).writes] && kept.cluster == 7)
        }
    }
}

@Suite("The last known state in one file for all programs")
struct KnownFileTests {
    private let range = KeyRange(prefix: "p/")

    private func open(_ directory: String) throws -> LocalState {
        try LocalState(folder: directory, prefix: "p/", addresses: ["one"], keepsWrites: false)
    }

    private func values(_ revisions: [String: Int64]) -> [String: ClusterContents.Known] {
        var values: [String: ClusterContents.Known] = [:]
        for (name, revision) in revisions {
            values[name] = .init(key: range.key(of: name), data: Data("\(revision)".utf8), modRevision: revision)
        }
        return values
    }

    private func update(_ revisions: [String: Int64], at revision: Int64) -> LocalState.Update {
        .init(cluster: 1, seen: values(revisions).mapValues { .init(known: $0) }, revision: revision)
    }

    @Test("A program that is behind does not replace a newer state, and its own later changes count")
    func behind() throws {
        try withTemporaryDirectory { directory in
            let (first, second) = (try open(directory), try open(directory))
            for state in [first, second] { try state.replaceKnown(with: values(["a": 5, "b": 5]), revision: 5, of: 1) }
            try first.update(update(["a": 6], at: 6))
            try first.update(update(["b": 7], at: 7))
            #expect(try second.update(update(["a": 6], at: 6)))
            #expect(try open(directory).known(in: range) == values(["a": 6, "b": 7]))
            try second.replaceKnown(with: values(["a": 6, "b": 5]), revision: 6, of: 1)
            #expect(try open(directory).known(in: range) == values(["a": 6, "b": 7]))
            try second.update(update(["a": 9], at: 9))
            #expect(try open(directory).known(in: range) == values(["a": 9, "b": 7]))
            #expect(try open(directory).revision == 9)
        }
    }

    @Test("A lost file is stored as a whole")
    func lost() throws {
        try withTemporaryDirectory { directory in
            let state = try open(directory)
            #expect(try !state.update(update(["a": 5], at: 5)))
            try state.replaceKnown(with: values(["a": 5]), revision: 5, of: 1)
            #expect(try state.update(update(["a": 6], at: 6)))
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                try FileManager.default.removeItem(atPath: directory + "/" + name)
            }
            // At the next change, or when the loss is noticed.
            _ = try state.update(update(["a": 7], at: 7))
            try state.replaceKnown(with: values(["a": 7, "b": 2]), revision: 7, of: 1)
            #expect(try open(directory).known(in: range)["a"] == values(["a": 7])["a"])
        }
    }

    @Test(
        "A read that finds an earlier or the same revision replaces what was lost with a restoration",
        arguments: [4, 5, 6])
    func restored(revision: Int64) throws {
        try withTemporaryDirectory { directory in
            let (first, second) = (try open(directory), try open(directory))
            try first.replaceKnown(with: values(["a": 3]), revision: 3, of: 1)
            try second.replaceKnown(with: values(["a": 5, "ghost": 4]), revision: 5, of: 1)
            try first.beginReading()
            try first.replaceKnown(with: values(["a": revision]), revision: revision, of: 1)
            #expect(try open(directory).known(in: range) == values(["a": revision]))
            // The other program has not noticed yet.
            try second.update(update(["b": 6], at: 6))
            try second.replaceKnown(with: values(["a": revision, "c": 7]), revision: 7, of: 1)
            #expect(try open(directory).known(in: range) == values(["a": revision, "c": 7]))
        }
    }

    @Test("A state of another cluster replaces the file, whatever the revisions, and its late changes do not come back")
    func otherCluster() throws {
        try withTemporaryDirectory { directory in
            let (former, present) = (try open(directory), try open(directory))
            try former.replaceKnown(with: values(["a": 900, "old": 1]), revision: 1_000, of: 1)
            try present.replaceKnown(with: values(["a": 3]), revision: 4, of: 2)
            #expect(try former.update(update(["a": 1_001], at: 1_001)))
            #expect(try open(directory).known(in: range) == values(["a": 3]))
        }
    }

    @Test("Programs that store the same history at once leave the state of its end")
    func concurrent() throws {
        try withTemporaryDirectory { directory in
            let states = try (0..<4).map { _ in try open(directory) }
            inParallel(4) { index in
                do {
                    try states[index].replaceKnown(with: values(["a": 1]), revision: 1, of: 1)
                    for revision in Int64(2)...60 {
                        #expect(try states[index].update(update(["\(revision % 7)": revision], at: revision)))
                    }
                } catch SettingsError.Code.busy {
                    // The others go on.
                } catch {
                    Issue.record(error)
                }
            }
            var expected: [String: Int64] = ["a": 1]
            for revision in Int64(2)...60 { expected["\(revision % 7)"] = revision }
            #expect(try open(directory).known(in: range) == values(expected) && open(directory).revision == 60)
        }
    }
}
