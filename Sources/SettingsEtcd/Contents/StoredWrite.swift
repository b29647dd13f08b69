import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The form of an accepted write in the local file, where it outlives the process.
private struct StoredWrite: Codable {
    var writes: [String: Data?]
    var bases: [String: Int64]
    var expectations: [String: Data?]
    var cluster: UInt64
}

extension QueuedWrite {
    func stored() throws -> Data {
        try JSONEncoder.stable().encode(
            StoredWrite(writes: writes, bases: bases, expectations: expectations, cluster: cluster))
    }

    /// Reads an accepted write of an earlier run. Nil for bytes that are not a write.
    init?(_ id: ID, stored: Data) {
        guard let stored = try? JSONDecoder().decode(StoredWrite.self, from: stored),
            stored.writes.keys.allSatisfy(SettingsService.StorageKey.isValid),
            stored.expectations.keys.allSatisfy(SettingsService.StorageKey.isValid),
            stored.bases.values.allSatisfy({ $0 >= 0 })
        else { return nil }
        self.init(
            id: id, writes: stored.writes, expectations: stored.expectations, isAccepted: true, bases: stored.bases,
            cluster: stored.cluster, hasWaited: true)
    }
}
