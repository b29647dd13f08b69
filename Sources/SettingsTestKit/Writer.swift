import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension StoreConformance {
    /// Writes numbered changes to a store and acknowledges each, until the process is killed. Use it in the process of the
    /// suite's closure `killed:`.
    ///
    /// Call it in a small program that your tests start, with the store on the medium that the program's arguments name:
    ///
    /// ```swift
    /// try StoreConformance.writeUntilKilled(to: MyStore(at: CommandLine.arguments[1]))
    /// ```
    ///
    /// It prints each acknowledged number on a separate line. A process that cannot print ends.
    ///
    /// - Parameters:
    ///   - store: An open store.
    ///   - synchronizing: Whether a change counts as acknowledged only after `synchronize()`. Pass false if your store says
    ///     that a change survives the end of the process when `set` has returned.
    /// - Throws: Errors of the store.
    public static func writeUntilKilled(to store: any SettingsStore, synchronizing: Bool = false) throws -> Never {
        try write(to: store, synchronizing: synchronizing) { number in
            printed(Array("\(number)\n".utf8))
        }
        exit(1)
    }

    /// Writes numbered changes to a store, starting after the last stored one.
    ///
    /// A change is one `set` and one batch. Use it if your closure `killed:` has a process that does not print, such as an exit
    /// test.
    ///
    /// - Parameters:
    ///   - store: An open store.
    ///   - synchronizing: Whether to call `synchronize()` after each `set` and each batch.
    ///   - acknowledge: Called after each change, with its number. Return false to stop.
    /// - Throws: Errors of the store and of `acknowledge`.
    public static func write(
        to store: any SettingsStore, synchronizing: Bool = false, acknowledge: (Int) throws -> Bool
    ) throws {
        var number = try WriterKeys.number(in: store)
        repeat {
            number += 1
            try store.set(WriterKeys.single, to: WriterKeys.data(number))
            if synchronizing { try store.synchronize() }
            let writes = WriterKeys.batch.map { SettingsStoreBatch.Entry(key: $0, data: WriterKeys.data(number)) }
            guard try store.apply(SettingsStoreBatch(writes: writes)) else {
                throw Violation(description: "A batch without expectations was refused.")
            }
            if synchronizing { try store.synchronize() }
        } while try acknowledge(number)
    }
}

/// Prints bytes at once.
private func printed(_ line: [UInt8]) -> Bool { write(STDOUT_FILENO, line, line.count) == line.count }

/// The keys that the killed writer sets.
enum WriterKeys {
    static let single = key("killed")
    static let batch = [key("killed/a"), key("killed/b"), key("killed/c")]

    /// A value that shows by its length and contents whether it is whole.
    static func data(_ number: Int) -> Data {
        Data("\"\(Array(repeating: "\(number)", count: 1 + number % 100).joined(separator: " "))\"".utf8)
    }

    /// The number of the last `set` that is stored; 0 if there is none.
    static func number(in store: any SettingsStore) throws -> Int { try number(of: single, in: store) }

    /// The number that each key of a batch has.
    static func batchNumbers(in store: any SettingsStore) throws -> [Int] {
        try batch.map { try number(of: $0, in: store) }
    }

    private static func number(of key: SettingsService.StorageKey, in store: any SettingsStore) throws -> Int {
        guard let stored = try store.get(key) else { return 0 }
        let text = String(decoding: stored, as: UTF8.self)
        let number = Int(text.dropFirst().prefix { $0 != " " && $0 != "\"" })
        guard let number, data(number) == stored else {
            throw Violation(description: "A value that was never set is stored: \(stored.count) bytes.")
        }
        return number
    }

    /// Repeats a failing call for as long as a store may wait for another attempt.
    static func retrying(_ body: () throws -> Void) throws {
        let end = ContinuousClock.now + .seconds(5)
        while true {
            do {
                return try body()
            } catch {
                if ContinuousClock.now > end { throw error }
                usleep(20_000)
            }
        }
    }
}
