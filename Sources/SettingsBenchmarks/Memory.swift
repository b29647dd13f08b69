import Foundation
import SettingsKit

/// Row 7: the memory of a stored key, without its name and its value.
enum Memory {
    static func figures(_ isQuick: Bool) throws -> [Figure] {
        [Figure(7, "memory a key, beyond its name and value", .atMost(200), "bytes", try bytesPerKey())]
    }

    /// - Returns: nil if the system does not report allocated memory.
    private static func bytesPerKey() throws -> Double? {
        let (folder, count) = (try TemporaryFolder(), 100_000)
        _ = try folder.propertyList(keyCount: count)
        // Once without measuring, for memory that is only allocated the first time.
        _ = try PropertyListStore(url: folder.file).keys().count
        guard let before = allocated() else { return nil }
        let store = try PropertyListStore(url: folder.file)
        guard let after = allocated() else { return nil }
        let payload = store.keys().reduce(0) { sum, name in
            sum + name.utf8.count + (store.get(.init(name, scope: .defaults))?.count ?? 0)
        }
        return Double(after - before - payload) / Double(count)
    }

    /// The memory of the process, without memory that it has freed.
    private static func allocated() -> Int? {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = dlsym(nil, "malloc_trim") else { return nil }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return pages.count > 1 ? Int(pages[1]).map { $0 * Int(getpagesize()) } : nil
    }
}
