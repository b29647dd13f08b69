import SettingsCommandLine
import SettingsKit

extension OpenedStore {
    func removals(of names: [String]?) throws -> [StoredDifference] {
        for name in names ?? [] where try data(named: name) == nil { throw missingValue(named: name) }
        return try (names ?? self.names()).map { StoredDifference(name: $0, old: nil, new: nil) }
    }

    /// Removes values of other programs, and those stored meanwhile.
    func removeRest() throws {
        try store.removeAll()
        try store.bringUpToDate()
    }

    func bringUpToDate() throws { try store.bringUpToDate() }

    var batchSize: Int? { ToolLimits.batch }

    func store(_ batch: ArraySlice<StoredDifference>) throws { try StoredDifference.make(batch, in: store) }

    func show(_ changes: [StoredDifference], asJSON: Bool, _ streams: CommandStreams) throws {
        try changes.print(streams, asJSON: asJSON)
    }
}
