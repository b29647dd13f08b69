import Foundation
import SettingsKitCore
import SettingsKitPlatform
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

/// A journal that has grown by more than a piece: of 256 KB, or of a longer record.
@Suite("What other processes have written is read a piece at a time", .ownThreads)
struct ReadingInPiecesTests {
    private func withStores(
        _ body: (_ store: PropertyListStore, _ other: PropertyListStore, _ path: String) throws -> Void
    ) throws {
        try withPropertyList { path in
            let other = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            // Both follow one journal.
            try other.set(key("first"), to: Data("1".utf8))
            let store = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            try body(store, other, path)
        }
    }

    @Test("Between two pieces, other threads have the files, and listeners run")
    func betweenPieces() throws {
        try withStores { store, other, _ in
            let count = 40
            try other.set(key("number"), to: Data("7".utf8))
            for number in 0..<count { try other.set(key("\(number)"), to: Data(count: 50_000)) }
            let isLastThere = Recorder<Bool>()
            let service = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
            let observation = service.observe(SettingsService.Setting("number", in: .defaults, default: 0)) { _ in
                isLastThere.append(store.get(key("\(count - 1)")) != nil)
            }
            try store.refresh()
            #expect(isLastThere.all == [false])
            for number in 0..<count { #expect(store.get(key("\(number)"))?.count == 50_000) }
            observation.cancel()
        }
    }

    @Test(
        "Records of all lengths are read, each as a whole",
        arguments: [[300_000], [262_144, 1, 262_144], [1, 2_000_000, 1], [600_000, 600_000, 10, 600_000]])
    func longRecords(_ sizes: [Int]) throws {
        try withStores { store, other, _ in
            let recorder = Recorder<Int>()
            let observation = store.feed?.observe { changes, _ in recorder.append(changes.count) }
            for (number, size) in sizes.enumerated() {
                let writes = (0..<3).map {
                    SettingsStoreBatch.Entry(
                        key: key("\(number) \($0)"), data: Data(repeating: UInt8($0), count: size / 3))
                }
                #expect(try other.apply(SettingsStoreBatch(writes: writes)))
            }
            try store.refresh()
            #expect(recorder.all == sizes.map { _ in 3 })
            for name in other.keys() {
                #expect(store.get(key(name)) == other.get(key(name)))
            }
            observation?.cancel()
        }
    }

    @Test("A damaged record hides no other", arguments: [2, 10, 18])
    func damage(of damaged: Int) throws {
        try withStores { store, other, path in
            for number in 0..<20 { try other.set(key("\(number)"), to: Data(count: 50_000)) }
            let journal = try #require(FileHandle(forWritingAtPath: FilesBeside.journal(path)))
            // In the middle of its value: the rest of a record is small.
            try journal.seek(toOffset: UInt64(damaged * 50_050 + 25_000))
            try journal.write(contentsOf: Data(repeating: 0xFF, count: 10))
            try journal.close()
            try store.refresh()
            let missing = (0..<20).filter { store.get(key("\($0)")) == nil }
            #expect(missing == [damaged])
        }
    }
}
