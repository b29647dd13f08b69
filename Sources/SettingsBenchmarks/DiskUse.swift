import Foundation
import SettingsKit
import SettingsKitFiles
import SettingsKitPlatform

/// Rows 10 and 23: the bytes of files.
enum DiskUse {
    /// What small changes write into a shared directory, for a syncer that carries only what is new.
    static func exported(_ isQuick: Bool) throws -> [Figure] {
        let bytes = try carried(changeCount: isQuick ? 100 : 1_000).new
        return [Figure(10, "export of a set beside 10,000 keys", .atMost(1_024), "bytes", bytes)]
    }

    /// The files of a property list, and what a syncer carries that carries whole files.
    static func figures(_ isQuick: Bool) throws -> [Figure] {
        let folder = try TemporaryFolder()
        let store = try PropertyListStore(url: folder.file)
        let text = String(repeating: "v", count: 98)
        try store.fill(0..<10_000) { _ in text }
        try store.bringUpToDate()
        let share = Double(try folder.url.fileSizes().values.reduce(0, +)) / 1_000_000
        let carried = try carried(changeCount: isQuick ? 20 : 200)
        return [
            Figure(23, "bytes on the disk of 10,000 values of 100 bytes", .atMost(3.5), "of the values", share),
            Figure(
                23, "bytes carried for a set beside 10,000 keys, in whole files", .atMost(1), "of the device's files",
                carried.whole / carried.all),
        ]
    }

    /// The bytes that each of some changes beside 10,000 keys adds to files, those of the files that it changes, and those of all
    /// files, on average.
    private static func carried(changeCount: Int) throws -> (new: Double, whole: Double, all: Double) {
        let shared = try TemporaryFolder()
        let store = try shared.store("state")
        try store.fill(0..<10_000, scope: .shared)
        try store.export()
        var (new, whole, all) = (0, 0, 0)
        for change in 0..<changeCount {
            let before = try shared.directory.fileSizes()
            try store.set(.init("setting number 4711", scope: .shared), to: Data("\(change)".utf8))
            try store.export()
            for (file, size) in try shared.directory.fileSizes() {
                all += size
                if before[file] == size { continue }
                whole += size
                // A longer file with the same number has been appended to.
                new += size - min(size, before[file] ?? 0)
            }
        }
        func average(_ sum: Int) -> Double { Double(sum) / Double(changeCount) }
        return (average(new), average(whole), average(all))
    }
}

extension URL {
    /// The size of each file in a directory, by what changes when another file takes its place.
    fileprivate func fileSizes() throws -> [String: Int] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        return Dictionary(
            uniqueKeysWithValues: try names.map { name in
                let attributes = try FileManager.default.attributesOfItem(atPath: appendingPathComponent(name).path)
                let number = attributes[.systemFileNumber].map { "\($0)" } ?? ""
                return ("\(name) \(number)", attributes[.size] as? Int ?? 0)
            })
    }
}
