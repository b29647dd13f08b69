#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    /// The name under which it is noted which versioned steps were carried out.
    public static var migrationLedger: String { "SettingsKit:migrations" }

    /// Brings what older versions of a program have stored to what this one expects: all steps in order, all or nothing.
    ///
    /// Call it before the settings are used. The steps are carried out as one transaction: what one writes the next reads,
    /// and if one fails, none has happened. Versioned steps are noted in the same moment, and never carried out again; of
    /// two processes that start together, one carries them out. A process that dies leaves the old state or the new one.
    /// Where several stores take part, what is to be done is noted first, and the next call completes it: also when a store
    /// fails in the middle, which is thrown.
    ///
    /// Steps that this version of the program does not know, and that come after those it knows, are no error: they are
    /// told in the report and to ``diagnostics`` (`newerVersion`).
    ///
    /// - Parameters:
    ///   - steps: The oldest first. Steps that all users have behind them may be left out one day.
    ///   - ledger: Under which name it is noted what was carried out.
    ///   - scope: In whose store. A store that is synchronised between devices (`.shared`) is migrated by each device
    ///     that does not know of it yet, if its ledger is not there, too.
    /// - Returns: what was done.
    /// - Throws: ``SettingsError``: `migrationFailed` with a ``MigrationFailure`` that says which step, and why; or what
    ///   kept a store from being read or written.
    /// - Precondition: no two steps have one id.
    @discardableResult
    public func migrate(
        _ steps: [Migration], ledger: String = SettingsService.migrationLedger, in scope: Scope = .defaults
    ) throws -> MigrationReport {
        let versions = steps.compactMap(\.version)
        precondition(Set(versions).count == versions.count, "No two steps of a migration may have one id.")
        for connection in connections.all { try connection.store?.requireOpen() }
        let run = MigrationRun(
            service: self, steps: steps, versions: versions, ledger: .init(ledger, scope: scope))
        let report = try run.carryOut()
        if !report.unknownVersions.isEmpty {
            let store = connection(for: run.ledger).store?.description
            connections.diagnostics.report(
                SettingsError(.newerVersion, store: store, underlying: UnknownVersions(ids: report.unknownVersions)))
        }
        return report
    }
}

extension SettingsStore {
    /// Brings what older versions of a program have stored here to what this one expects; see
    /// ``SettingsService/migrate(_:ledger:in:)``. Whatever scopes settings name, they are all in this store.
    ///
    /// - Throws: ``SettingsError``; nothing was changed then.
    @discardableResult
    public func migrate(
        _ steps: [SettingsService.Migration], ledger: String = SettingsService.migrationLedger
    ) throws -> SettingsService.MigrationReport {
        try StoreServices.service(over: self).migrate(steps, ledger: ledger)
    }
}
