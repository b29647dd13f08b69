import Foundation
import SettingsKitFiles
import SettingsKitPlatform
import SettingsKit

extension Benchmark {
    /// Row 10: a directory that eight devices share.
    static func shared() throws -> [Benchmark] {
        let directory = try SharedFolder(replicaCount: 8, keyCount: 10_000)
        let writing = try SharedWriting()
        let yardstick = try Writing(keyCount: 10)
        return [
            Benchmark(
                row: 10, name: "merge of 8 replicas with 10,000 keys each",
                yardstickName: "Foundation parsing the files",
                target: .costAtMost(0.6), iterations: 2, operation: directory.measureMerge,
                yardstick: directory.measureParsingAll),
            Benchmark(
                row: 10, name: "merge of one changed key", yardstickName: "Foundation parsing one replica's files",
                target: .costAtMost(0.5), iterations: 5, operation: directory.measureChange,
                yardstick: directory.measureParsingOne),
            Benchmark(
                row: 10, name: "set in a shared directory", yardstickName: "set in a property list",
                target: .costAtMost(1.15), iterations: 50_000, operation: writing.measure, yardstick: yardstick.measure),
        ]
    }
}

/// A directory with the files of several replicas with the same settings.
private final class SharedFolder {
    private let folder: TemporaryFolder
    private let directory: URL
    private let files: [URL]
    /// The files of one replica.
    private let peerFiles: [URL]
    private let changed = "setting number 4711"
    private let peer: DirectoryStore
    private let reader: DirectoryStore
    private var stateCount = 0
    private var changeCount = 0

    init(replicaCount: Int, keyCount: Int) throws {
        let folder = try TemporaryFolder()
        let root = folder.url
        let directory = root.appendingPathComponent("shared")
        self.folder = folder
        self.directory = directory
        let writes = (0..<keyCount).map { number in
            SettingsStoreBatch.Entry(
                key: .init("setting number \(number)", scope: .shared), data: Data("\"value \(number)\"".utf8))
        }
        // Each releases its store, so that no background work continues.
        func replica(_ number: Int) throws -> DirectoryStore {
            try Self.quietStore(directory, root.appendingPathComponent("replica \(number)"))
        }
        for number in 0..<replicaCount {
            let store = try replica(number)
            if number == 0 { _ = try store.apply(SettingsStoreBatch(writes: writes)) }
            try store.export()
        }
        peer = try replica(1)
        reader = try Self.quietStore(directory, root.appendingPathComponent("reader"))
        files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        let prefix = "Settings-" + (peer.replicas.first?.id ?? "")
        peerFiles = files.filter { $0.lastPathComponent.hasPrefix(prefix) }
        precondition(files.count == replicaCount * peerFiles.count && reader.keys().count == keyCount)
    }

    /// A store without background work, so that each operation is measured once.
    private static func quietStore(_ directory: URL, _ state: URL) throws -> DirectoryStore {
        try DirectoryStore(directory: directory.path, state: state.path, fileSystem: POSIXFileSystem())
    }

    /// A new device reads all files.
    func measureMerge(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                do {
                    stateCount += 1
                    let state = folder.url.appendingPathComponent("state \(stateCount)")
                    let store = try Self.quietStore(directory, state)
                    precondition(store.get(.init(changed, scope: .shared)) != nil)
                } catch {
                    fatalError("\(error)")
                }
            }
        }
    }

    /// Another device's change of one setting is merged.
    func measureChange(_ count: Int) -> Double {
        var nanoseconds = 0.0
        for _ in 0..<count {
            do {
                changeCount += 1
                let value = Data("\(changeCount)".utf8)
                try peer.set(.init(changed, scope: .shared), to: value)
                try peer.export()
                var problem: (any Error)?
                nanoseconds += nanosecondsEach(1) {
                    do {
                        try reader.refresh()
                    } catch {
                        problem = error
                    }
                }
                if let problem { throw problem }
                precondition(reader.get(.init(changed, scope: .shared)) == value)
            } catch {
                fatalError("\(error)")
            }
        }
        return nanoseconds / Double(count)
    }

    func measureParsingAll(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count { for file in files { parse(file) } }
        }
    }

    func measureParsingOne(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count { for file in peerFiles { parse(file) } }
        }
    }

    /// Line by line, as in the format.
    private func parse(_ file: URL) {
        do {
            for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) {
                use(try JSONSerialization.jsonObject(with: line))
            }
        } catch {
            fatalError("\(error)")
        }
    }
}

/// A service over a shared directory in which one setting is set repeatedly.
private final class SharedWriting {
    private let settings: SettingsService
    private let setting = Setting<Int>("set", in: .shared, default: 0)
    /// Each value differs from the one before, because equal ones are not written.
    private var number = 0
    // Released last, because the store would create the directory again for changes that it has not written yet.
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let root = folder.url
        settings = SettingsService(
            shared: try DirectoryStore(
                at: root.appendingPathComponent("shared"), state: root.appendingPathComponent("state")))
        for number in 0..<10 { settings.set(Setting<Int>("setting \(number)", in: .shared, default: 0), to: number) }
        try settings.synchronize()
    }

    func measure(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                settings.set(setting, to: number)
            }
        }
    }
}
