import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Synchronization
import Testing

@testable import SettingsKitFiles

@Suite("Writing the next journal while others use the present one")
struct JournalDraftTests {
    private static let one = Data("1".utf8)

    /// Folds a store on a simulated disk, and calls `body` once, while the next journal is written.
    private func fold(
        _ body: @escaping @Sendable (SimulatedDisk, PropertyListStore) throws -> Void
    ) throws -> SimulatedDisk {
        let (disk, fileSystem, store) = try begunStore()
        let creations = Synchronization.Mutex(0)
        fileSystem.after { call in
            // The first new file is the property list, the second one the journal.
            guard call == .create,
                creations.withLock({
                    $0 += 1; return $0
                }) == 2
            else { return }
            do { try body(disk, store) } catch { Issue.record(error) }
        }
        try store.bringUpToDate()
        #expect(creations.withLock { $0 } >= 2)
        #expect(!disk.names(in: Start.directory).contains { $0.hasSuffix(".tmp") })
        return disk
    }

    @Test("A change of this process is in the next journal", arguments: 0..<20)
    func ownChange(seed: Int) throws {
        let disk = try fold { _, store in
            try store.set(key("b"), to: Self.one)
            try store.synchronize()
        }
        // Processes that have read the other journal skip what only repeats its changes.
        let journal = try #require(disk.contents(of: Start.path + "-journal"))
        let header = journal.withUnsafeBytes { bytes in
            if case .intact(let header) = JournalHeader.read(bytes) { header } else { nil as JournalHeader? }
        }
        #expect(header?.carriedEnd == UInt64(journal.count))
        #expect(try quietStore(disk.process()).values == ["a": Self.one, "b": Self.one])
        disk.powerFailure(seed: UInt64(seed))
        #expect(try quietStore(disk.process()).values == ["a": Self.one, "b": Self.one])
    }

    @Test("A change of another process is in the next journal", arguments: 0..<20)
    func othersChange(seed: Int) throws {
        let disk = try fold { disk, _ in
            let other = try quietStore(disk.process())
            try other.set(key("a"), to: nil)
            try other.set(key("b"), to: Self.one)
            try other.synchronize()
        }
        #expect(try quietStore(disk.process()).values == ["b": Self.one])
        disk.powerFailure(seed: UInt64(seed))
        #expect(try quietStore(disk.process()).values == ["b": Self.one])
    }

    @Test("A process that follows the journal gets each change once, across the replacement")
    func follower() throws {
        let changes = Recorder<[String]>()
        let follower = Synchronization.Mutex<(store: PropertyListStore, subscription: SettingsService.Subscription)?>(
            nil)
        let disk = try fold { disk, store in
            let other = try quietStore(disk.process())
            let settings = SettingsService(stores: [.defaults: other], diagnosticSink: .none)
            let subscription = settings.observe(in: .defaults) { changes.append($0.keys.map(\.name).sorted()) }
            follower.withLock { $0 = (other, subscription) }
            try store.set(key("b"), to: Self.one)
            try other.refresh()
            try store.set(key("c"), to: Self.one)
        }
        let other = try #require(follower.withLock { $0?.store })
        try other.refresh()
        #expect(changes.all == [["b"], ["c"]])
        try other.set(key("d"), to: Self.one)
        #expect(try quietStore(disk.process()).values == ["a", "b", "c", "d"].reduce(into: [:]) { $0[$1] = Self.one })
    }

    @Test("If another process replaces the journal meanwhile, the draft is removed", arguments: [true, false])
    func otherJournal(isFolding: Bool) throws {
        let journal = Recorder<Data>()
        // A released store folds.
        let others = Recorder<PropertyListStore>()
        let disk = try fold { disk, _ in
            let other = try quietStore(disk.process())
            others.append(other)
            try other.set(key("b"), to: Self.one)
            if isFolding {
                try other.bringUpToDate()
            } else {
                try other.list.files.updateLocked(waiting: .zero) { try $0.replaceSupersededJournal() }
            }
            journal.append(try #require(disk.contents(of: Start.path + "-journal"))[..<JournalHeader.size])
        }
        #expect(disk.contents(of: Start.path + "-journal")?.starts(with: journal.all[0]) == true)
        #expect(try quietStore(disk.process()).values == ["a": Self.one, "b": Self.one])
    }
}
