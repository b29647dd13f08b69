#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One call of `migrate`.
struct MigrationRun {
    private static let attemptLimit = 1_000

    let service: SettingsService
    let steps: [SettingsService.Migration]
    let versions: [String]
    /// The key of the ledger.
    let ledger: SettingsService.StorageKey

    func carryOut() throws -> SettingsService.MigrationReport {
        // If there is another store: not in one that other devices share, because they would take the notes for their
        // own.
        let isLocal = ledger.scope != .shared || service.connections[.defaults].store == nil
        let home = isLocal ? ledger : SettingsService.StorageKey(ledger.name, scope: .defaults)
        let intents = MigrationIntents(service: service, home: home)
        var first = SettingsService.Transaction(service: service, options: .ofSave)
        // What is in the ledger stays there, so that a program without steps to take starts without the other machines.
        first.confirmsReads = false
        let (report, error) = try SettingsService.Transaction.run(first, limit: Self.attemptLimit) {
            transaction throws(SettingsError) in
            try intents.completeInterrupted()
            return try perform(in: &transaction)
        } commit: { transaction throws(SettingsError) in
            try transaction.commit(across: intents)
        }
        if let error { throw error }
        return report
    }

    /// Runs the steps that have not run yet, and lists them in the ledger.
    private func perform(
        in transaction: inout SettingsService.Transaction
    ) throws(SettingsError) -> SettingsService.MigrationReport {
        let known = versions.isEmpty ? [] : try noted(in: &transaction)
        var applied: [String] = []
        for step in steps {
            if let version = step.version {
                if known.contains(version) { continue }
                applied.append(version)
            }
            do {
                HeldLocks.requireNone(before: "a migration")
                try step.body(&transaction)
                if let error = transaction.error { throw error }
                try transaction.requireStores()
            } catch {
                // A failed read comes first: it may be the reason why the step failed.
                let cause = transaction.error ?? error
                throw SettingsError(
                    .migrationFailed,
                    underlying: SettingsService.MigrationFailure(
                        step: step.name, underlying: CodingProblem(cause) ?? cause,
                        stepDescription: step.description))
            }
        }
        if !applied.isEmpty {
            do {
                let ids = try StoredForm<[String]>.standard.encode(known + applied)
                transaction.write(ids, for: ledger)
            } catch {
                throw SettingsError(.encodingFailed, key: ledger, underlying: error)
            }
        }
        return .init(appliedVersions: applied, unknownVersions: unknown(of: known))
    }

    private func noted(in transaction: inout SettingsService.Transaction) throws(SettingsError) -> [String] {
        let data = transaction.data(for: ledger)
        if let error = transaction.error { throw error }
        guard let data else { return [] }
        do {
            return try StoredForm<[String]>.standard.decode(data)
        } catch {
            throw SettingsError(.decodingFailed, key: ledger, underlying: error)
        }
    }

    /// The listed ids after the last one that this program knows. (Unknown ids before that are those of versions that
    /// the program no longer needs; and so are all of them if it lists only new ones.)
    private func unknown(of noted: [String]) -> [String] {
        guard let last = noted.lastIndex(where: versions.contains) else { return [] }
        return Array(noted[(last + 1)...])
    }
}
