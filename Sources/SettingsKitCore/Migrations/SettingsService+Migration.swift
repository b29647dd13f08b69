#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    /// The name of the ledger, which lists the applied versions.
    public static var migrationLedger: String { "SettingsKit:migrations" }

    /// Converts values of older versions of the program: all steps in order, all or nothing.
    ///
    /// Call it before the settings are used. The steps are one transaction: each sees the changes of the steps before it, and if
    /// one fails, nothing is changed. The same commit lists versions in the ledger, and they never run again; if two processes
    /// start together, one of them applies a version. If the process dies, the old state or the new one is stored.
    ///
    /// If several stores take part, each takes its changes all or nothing, and the ledger's store is written last. If a store fails
    /// or the process dies in between, the next call runs the steps again. So a version that writes to several stores must be
    /// idempotent. A value that is moved to another store is removed in the old one at the end.
    ///
    /// Unknown versions after those that this program knows are no error. The report has them, and ``diagnostics`` report
    /// `newerVersion`.
    ///
    /// - Parameters:
    ///   - steps: The steps, oldest first. Remove steps that no user needs any longer.
    ///   - ledger: The name of the ledger, which lists the applied versions.
    ///   - scope: The scope of the ledger. Each device migrates a store that devices share (`.shared`), unless its ledger is also
    ///     shared.
    /// - Returns: the outcome.
    /// - Throws: ``SettingsError``: `migrationFailed` with a ``MigrationFailure`` that has the step and the error; or
    ///   the error of a store that could not be read or written.
    /// - Precondition: no two steps have one id.
    @discardableResult
    public func migrate(
        _ steps: [Migration], ledger: String = SettingsService.migrationLedger, in scope: Scope = .defaults
    ) throws -> MigrationReport {
        let versions = steps.compactMap(\.version)
        precondition(Set(versions).count == versions.count, "Two steps of a migration must not have the same id.")
        for connection in connections.all { try connection.sources?.requireOpen() }
        let run = MigrationRun(
            service: self, steps: steps, versions: versions, ledger: .init(ledger, scope: scope))
        let report = try run.carryOut()
        if !report.unknownVersions.isEmpty {
            let store = connection(for: run.ledger).sources?.description
            connections.diagnostics.report(
                SettingsError(.newerVersion, store: store, underlying: UnknownVersions(ids: report.unknownVersions)))
        }
        return report
    }
}

extension SettingsStore {
    /// Converts values of older versions of the program in this store; see ``SettingsService/migrate(_:ledger:in:)``. All settings
    /// are in this store, whichever scopes they name.
    ///
    /// - Throws: ``SettingsError``; nothing is changed then.
    @discardableResult
    public func migrate(
        _ steps: [SettingsService.Migration], ledger: String = SettingsService.migrationLedger
    ) throws -> SettingsService.MigrationReport {
        try StoreServices.service(over: self).migrate(steps, ledger: ledger)
    }
}
