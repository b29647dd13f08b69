import Foundation
import SettingsKitCore

/// The values of iCloud's key-value store, which announces changes of other devices, and none by their names.
final class UbiquitousValues: SystemValues {
    // nonisolated(unsafe): a constant, whose object any thread may use.
    private nonisolated(unsafe) let objects: any SystemObjects

    /// - Parameter objects: The store, which any thread may use.
    init(_ objects: any SystemObjects) { self.objects = objects }

    func data(named name: String, isURL: Bool) -> Data? { objects.data(named: name, isURL: false) }
    func write(_ data: Data?, named name: String, isURL: Bool) { objects.write(data, named: name, isURL: false) }
    func names() -> [String] { objects.names }
    func observe(_ name: String, _ signal: @escaping @Sendable () -> Void) {}
    func synchronize() -> Bool { objects.synchronize() }
}

/// The error that iCloud does not accept values.
private struct FullCloud: ValueFreeError {
    var description: String {
        "iCloud does not take more settings of this app. They stay on this device; remove some, or store large values elsewhere."
    }
}

extension SystemStore {
    /// Applies a batch, unless iCloud does not take one of its names: the system ends a program that stores a longer one.
    func applyInCloud(_ batch: SettingsStoreBatch) throws -> Bool {
        let longest = 64
        for write in batch.writes where write.data != nil {
            if write.key.name.precomposedStringWithCanonicalMapping.utf8.count <= longest { continue }
            throw SettingsError(
                .tooLarge, key: write.key, store: storeDescription,
                expected: "a name of at most \(longest) bytes in UTF-8")
        }
        return apply(batch)
    }

    /// Publishes changes that iCloud announces: those of other devices, and those of another account.
    ///
    /// - Parameter isFull: Whether the app's values exceed iCloud's quota, which is reported.
    func noticeCloud(isFull: Bool) {
        if isFull { feed?.report(SettingsError(.notSaved, store: storeDescription, underlying: FullCloud())) }
        noticeChanges()
    }
}
