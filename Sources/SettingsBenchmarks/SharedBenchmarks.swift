import Foundation
import SettingsKit
import SettingsKitFiles

extension Benchmark {
    /// Row 10: a directory that eight devices share.
    static func shared() throws -> [Benchmark] {
        let (shared, writing) = (try TemporaryFolder(), try TemporaryFolder())
        for number in 0..<8 {
            // Each releases its store, so that no background work continues.
            let store = try shared.store("replica \(number)")
            if number == 0 { try store.fill(0..<10_000, scope: .shared) }
            try store.export()
        }
        let (peer, reader) = (try shared.store("replica 1"), try shared.store("reader"))
        let files = try FileManager.default.contentsOfDirectory(
            at: shared.directory, includingPropertiesForKeys: nil)
        let prefix = "Settings-" + (peer.replicas.first?.id ?? "")
        let peerFiles = files.filter { $0.lastPathComponent.hasPrefix(prefix) }
        precondition(files.count == 8 * peerFiles.count && reader.keys().count == 10_000)

        let changed = SettingsService.StorageKey("setting number 4711", scope: .shared)
        var (stateCount, changeCount) = (0, 0)
        let settings = SettingsService(shared: try DirectoryStore(at: writing.directory, state: writing["state"]))
        for number in 0..<10 { settings.set(Setting<Int>("setting \(number)", in: .shared, default: 0), to: number) }
        try settings.synchronize()
        let inDirectory = Writer(settings, Setting<Int>("set", in: .shared, default: 0))
        let inFile = try Writer(keyCount: 10)
        return [
            // A new device reads all files.
            Benchmark(
                10, "merge of 8 replicas with 10,000 keys each", .atMost(0.8),
                parsing("Foundation parsing the files", files), iterations: 2
            ) { count in
                repeating(count) {
                    stateCount += 1
                    let store = try shared.store("state \(stateCount)")
                    precondition(store.get(changed) != nil)
                }
            },
            // Another device's change of one setting is merged. Making it is not measured.
            Benchmark(
                10, "merge of one changed key", .atMost(0.5),
                parsing("Foundation parsing one replica's files", peerFiles), iterations: 5
            ) { count in
                let times = (0..<count).map { _ in
                    changeCount += 1
                    let value = Data("\(changeCount)".utf8)
                    orStop {
                        try peer.set(changed, to: value)
                        try peer.export()
                    }
                    defer { precondition(reader.get(changed) == value) }
                    return repeating(1) { try reader.refresh() }
                }
                return times.reduce(0, +) / Double(count)
            },
            Benchmark(
                10, "set in a shared directory", .atMost(1.15),
                Yardstick("set in a property list", inFile.set), inDirectory.set),
        ]
    }

    /// Line by line, as in the format.
    private static func parsing(_ name: String, _ files: [URL]) -> Yardstick {
        Yardstick(name) { count in
            repeating(count) {
                for file in files {
                    for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) {
                        use(try JSONSerialization.jsonObject(with: line))
                    }
                }
            }
        }
    }
}
