import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Testing

@testable import SettingsKitFiles

@Suite("Flushing the journal")
struct JournalFlushTests {
    private static let one = Data("1".utf8)
    private static let two = Data("2".utf8)

    /// A disk with a property list that has the value 0 of the setting a, and a journal that the process of a store has begun.
    private func begin() throws -> (disk: SimulatedDisk, store: PropertyListStore) {
        let disk = try emptyDisk()
        let store = try quietStore(disk.process())
        try store.set(key("a"), to: Data("0".utf8))
        try store.bringUpToDate()
        return (disk, store)
    }

    private func valuesAfterPowerFailure(_ disk: SimulatedDisk, seed: UInt64) throws -> Values {
        disk.powerFailure(seed: seed)
        return try quietStore(disk.process()).values
    }

    @Test("synchronize makes a change safe from a power failure, and leaves the property list", arguments: 0..<20)
    func journalOnly(seed: Int) throws {
        let (disk, store) = try begin()
        let file = disk.contents(of: Start.path)
        for number in 1...3 {
            try store.set(key("a"), to: Data("\(number)".utf8))
            try store.synchronize()
        }
        #expect(disk.contents(of: Start.path) == file)
        try store.set(key("a"), to: Data("4".utf8))
        let found = try valuesAfterPowerFailure(disk, seed: UInt64(seed))["a"]
        #expect([Data("3".utf8), Data("4".utf8)].contains(found))
    }

    @Test("It is one flush, and one of the directory for each journal; with nothing new it is none")
    func calls() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Self.one)
            try store.bringUpToDate()
            var flushes: [[FaultyFileSystem.Call]] = []
            for value in ["2", "3", "3"] {
                try store.set(key("a"), to: Data(value.utf8))
                fileSystem.set(.none)
                try store.synchronize()
                flushes.append(fileSystem.calls.filter { ![.status, .statusOfFile].contains($0) })
            }
            #expect(flushes == [[.synchronize, .synchronizeDirectory], [.synchronize], []])
        }
    }

    @Test("It needs no lock while another process keeps it")
    func locked() throws {
        let (disk, store) = try begin()
        try store.set(key("a"), to: Self.one)
        let holder = disk.process()
        let lock = try holder.openForAppending(Start.path + "-lock")
        try #require(try holder.lock(lock))
        try store.synchronize()
        #expect(try valuesAfterPowerFailure(disk, seed: 1)["a"] == Self.one)
    }

    @Test("Threads that wait for a flush share the next one")
    func shared() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Self.one)
            try store.bringUpToDate()
            try store.set(key("a"), to: Self.two)
            let (isFlushing, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let flushes = Recorder<Bool>()
            fileSystem.after { call in
                guard call == .synchronize else { return }
                flushes.append(true)
                guard flushes.all.count == 1 else { return }
                isFlushing.signal()
                mayReturn.wait()
            }
            let errors = Recorder<any Error>()
            let work = DispatchGroup()
            func start(_ body: @escaping @Sendable () throws -> Void) {
                DispatchQueue(label: "flush").async(group: work) {
                    do { try body() } catch { errors.append(error) }
                }
            }
            start { try store.synchronize() }
            isFlushing.wait()
            let areSet = DispatchGroup()
            for number in 0..<8 {
                areSet.enter()
                start {
                    do { try store.set(key("k\(number)"), to: Self.one) } catch { errors.append(error) }
                    areSet.leave()
                    try store.synchronize()
                }
            }
            areSet.wait()
            mayReturn.signal()
            work.wait()
            #expect(flushes.all.count == 2)
            #expect(errors.all.isEmpty)
        }
    }

    // MARK: Failed writes

    @Test(
        "A failed write is reported to each process that had the journal open; then each writes the values again",
        arguments: 0..<20)
    func reported(seed: Int) throws {
        let (disk, store) = try begin()
        let other = try quietStore(disk.process())
        try store.set(key("a"), to: Self.one)
        try other.set(key("b"), to: Self.two)
        // Both have the journal open, and have covered what it had before.
        try store.synchronize()
        try other.synchronize()
        try store.set(key("a"), to: Self.two)
        try other.set(key("b"), to: Self.one)
        try disk.failWriteBack(of: Start.path + "-journal")
        for store in [store, other] {
            let error = #expect(throws: SettingsError.self) { try store.synchronize() }
            #expect(error?.code == .notSaved)
        }
        try other.synchronize()
        #expect(try valuesAfterPowerFailure(disk, seed: UInt64(seed)) == ["a": Self.two, "b": Self.one])
    }

    @Test(
        "A process makes the values of others safe, although their failed write was reported before it opened the journal",
        arguments: 0..<20)
    func unreported(seed: Int) throws {
        let (disk, store) = try begin()
        let process = disk.process()
        let failing = try quietStore(process)
        try failing.set(key("a"), to: Self.one)
        try disk.failWriteBack(of: Start.path + "-journal")
        #expect(throws: SettingsError.self) { try failing.synchronize() }
        // The reason to write the values again dies with the process.
        process.kill()
        withExtendedLifetime(store) {}
        let other = try quietStore(disk.process())
        try other.set(key("b"), to: Self.two)
        try other.synchronize()
        #expect(try valuesAfterPowerFailure(disk, seed: UInt64(seed)) == ["a": Self.one, "b": Self.two])
    }

    @Test("If the system has dropped the bytes of a failed write, the property list is written", arguments: 0..<20)
    func dropped(seed: Int) throws {
        let (disk, store) = try begin()
        try store.set(key("a"), to: Self.one)
        let other = try quietStore(disk.process())
        let journal = try #require(disk.contents(of: Start.path + "-journal"))
        // In place.
        let overwriting = disk.process()
        let file = try overwriting.openForOverwriting(Start.path + "-journal")
        try [UInt8](journal.dropLast() + [0]).withUnsafeBytes { try overwriting.write(all: $0, to: file) }
        try other.set(key("b"), to: Self.two)
        try other.synchronize()
        #expect(try disk.storedValues() == ["a": Self.one, "b": Self.two])
        #expect(try valuesAfterPowerFailure(disk, seed: UInt64(seed)) == ["a": Self.one, "b": Self.two])
    }

    @Test("A flush that fails while the property list is written is no success at the next attempt", arguments: 0..<20)
    func failureWhileFolding(seed: Int) throws {
        let (disk, fileSystem, store) = try begunStore()
        let (isFirst, failures) = (Box(true), Recorder<SettingsError>())
        // The first flush is that of the new property list, which lacks what is set now.
        fileSystem.after { call in
            guard call == .synchronize, isFirst.value else { return }
            isFirst.value = false
            do {
                try store.set(key("a"), to: Self.two)
                try disk.failWriteBack(of: Start.path + "-journal")
                // The journal stays, because no new one can be created.
                fileSystem.set(.calls([.create], errno: FaultyFileSystem.noRoom))
                try store.synchronize()
            } catch let error as SettingsError {
                failures.append(error)
            } catch {
                Issue.record(error)
            }
        }
        try store.bringUpToDate()
        #expect(failures.all.map(\.code) == [.notSaved])
        fileSystem.set(.none)
        try store.synchronize()
        #expect(try valuesAfterPowerFailure(disk, seed: UInt64(seed))["a"] == Self.two)
    }
}
