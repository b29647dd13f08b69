#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One call of `migrate`.
struct MigrationRun {
    let service: SettingsService
    let steps: [SettingsService.Migration]
    let versions: [String]
    /// The key of the ledger.
    let ledger: SettingsService.StorageKey

    func carryOut() throws -> SettingsService.MigrationReport {
        var first = SettingsService.Transaction(service: service, options: .ofSave)
        // The ledger's entries stay, so a program without steps to run starts without the other machines.
        first.confirmsReads = false
        first.ledger = ledger
        let (report, error) = try SettingsService.Transaction.run(first, limit: CoreLimits.migrationAttempts) {
            transaction throws(SettingsError) in
            try perform(in: &transaction)
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
                // A failed read comes first, because it may have caused the step to fail.
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

    /// Returns the listed ids after the last one that this program knows. Unknown ids before it belong to versions that the program
    /// no longer needs. So do all ids if the program has only new versions.
    private func unknown(of noted: [String]) -> [String] {
        guard let last = noted.lastIndex(where: versions.contains) else { return [] }
        return Array(noted[(last + 1)...])
    }
}
