import Foundation
import SettingsKitFiles
import SettingsKitPlatform
import SettingsKit

/// Row 10: the bytes that a small change beside many settings writes into the shared directory, for a syncer to carry.
enum ExportedBytes {
    static func name(isOneKey: Bool) -> String {
        "export of a set: \(isOneKey ? "one key" : "distinct keys") of 10,000"
    }

    /// The sizes of the files that each export of one change has replaced, on average.
    static func average(keyCount: Int, changeCount: Int, isOneKey: Bool) throws -> Double {
        let folder = try TemporaryFolder()
        let directory = folder.url.appendingPathComponent("shared")
        let store = try DirectoryStore(
            directory: directory.path, state: folder.url.appendingPathComponent("state").path,
            fileSystem: POSIXFileSystem())
        let writes = (0..<keyCount).map { number in
            SettingsStoreBatch.Entry(
                key: .init("setting number \(number)", scope: .shared), data: Data("\"value \(number)\"".utf8))
        }
        _ = try store.apply(SettingsStoreBatch(writes: writes))
        try store.export()
        var bytes = 0
        var before = try files(in: directory)
        for change in 0..<changeCount {
            let number = isOneKey ? 0 : change * 7 % keyCount
            try store.set(.init("setting number \(number)", scope: .shared), to: Data("\(change)".utf8))
            try store.export()
            let after = try files(in: directory)
            bytes += after.reduce(0) { before[$1.key] == $1.value ? $0 : $0 + $1.value.size }
            before = after
        }
        return Double(bytes) / Double(changeCount)
    }

    private struct File: Equatable {
        var size: Int
        /// Changes whenever a file is replaced: the old one keeps its number until the new one has its place.
        var number: UInt64
        var modified: Date
    }

    private static func files(in directory: URL) throws -> [String: File] {
        var files: [String: File] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let path = directory.appendingPathComponent(name).path
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard let size = attributes[.size] as? Int, let number = attributes[.systemFileNumber] as? UInt64,
                let modified = attributes[.modificationDate] as? Date
            else { preconditionFailure("no attributes of \(name)") }
            files[name] = File(size: size, number: number, modified: modified)
        }
        return files
    }
}
