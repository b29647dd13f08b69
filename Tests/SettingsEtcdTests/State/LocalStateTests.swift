import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("The local files of one folder")
struct LocalStateTests {
    private let range = KeyRange(prefix: "p/")

    private func open(_ directory: String) throws -> LocalState {
        try LocalState(folder: directory, prefix: "p/", keepsWrites: true)
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
        try first?.replaceKnown(with: known("a", "old", 5), revision: 10)
        var second: LocalState? = try open(directory)
        try second?.replaceKnown(with: known("a", "old", 5), revision: 15)
        try first?.update(ahead)
        second = nil
        if !isOpen { first = nil }
        try body(try open(directory))
        withExtendedLifetime(first) {}
    }

    @Test("A value that was seen ahead of the rest outlives newer knowledge of the rest", arguments: [true, false])
    func ahead(isOpen: Bool) throws {
        try withTemporaryDirectory { directory in
            let new = LocalState.Update(known: known("a", "new", 20).mapValues { $0 }, revision: 10)
            try opened(after: new, isOpen: isOpen, in: directory) { next in
                #expect(texts(next) == ["a": "new"] && next.revision == 15)
            }
        }
    }

    @Test("A removal that was seen ahead of the rest outlives newer knowledge of the rest", arguments: [true, false])
    func removedAhead(isOpen: Bool) throws {
        try withTemporaryDirectory { directory in
            let removal = LocalState.Update(known: ["a": nil], absent: ["a": 20], revision: 10)
            try opened(after: removal, isOpen: isOpen, in: directory) { next in
                #expect(texts(next).isEmpty && next.revision == 15)
                try next.replaceKnown(with: known("a", "again", 30), revision: 30)
                #expect(texts(next) == ["a": "again"])
            }
        }
    }

    @Test("After the cluster was restored from a backup, what was known before does not come back")
    func restored() throws {
        try withTemporaryDirectory { directory in
            var first: LocalState? = try open(directory)
            try first?.replaceKnown(with: known("a", "lost", 900), revision: 1_000)
            var second: LocalState? = try open(directory)
            #expect(second.map(texts) == ["a": "lost"])
            try second?.replaceKnown(with: known("a", "restored", 400), revision: 500)
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
            try state?.update(.init(removed: [1], rebased: [write(2, "2", base: 6)]))
            state = nil
            #expect(try open(directory).pending() == [write(2, "2", base: 6)])
        }
    }

    @Test("A file that was unlocked is another store's, although a child of a fork may still have it open")
    func unlocked() throws {
        try withTemporaryDirectory { directory in
            let inherited = try open(directory)
            try inherited.accept(write(1, "1", base: 5))
            let beside = try open(directory)
            #expect(beside.pending().isEmpty)
            inherited.unlock()
            #expect(try open(directory).pending() == [write(1, "1", base: 5)])
            withExtendedLifetime((inherited, beside)) {}
        }
    }
}
