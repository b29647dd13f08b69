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
    /// Where the ids of what was carried out are.
    let ledger: SettingsService.StorageKey

    func carryOut() throws -> SettingsService.MigrationReport {
        // Not in a store that carries them to other devices, which would take them for their own, if there is another.
        let isLocal = ledger.scope != .shared || service.connections[.defaults].store == nil
        let home = isLocal ? ledger : SettingsService.StorageKey(ledger.name, scope: .defaults)
        let intents = MigrationIntents(service: service, home: home)
        for _ in 0..<Self.attemptLimit {
            try intents.completeInterrupted()
            var transaction = SettingsService.Transaction(service: service)
            let report = try perform(in: &transaction)
            do {
                if try transaction.commit(across: intents) { return report }
            } catch {
                transaction.notifyListeners(of: error)
                throw error
            }
        }
        throw SettingsError(.conflict)
    }

    /// Performs the steps that were not carried out yet, and notes them.
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
                try step.body(&transaction)
                if let error = transaction.error { throw error }
                try transaction.requireStores()
            } catch {
                // What could not be read comes first: the step may have failed because of it.
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

    /// The ids that were noted after the last one that this program knows. (Those before it were left out of the program
    /// when they were no longer needed; and so were all of them if it has none but new ones.)
    private func unknown(of noted: [String]) -> [String] {
        guard let last = noted.lastIndex(where: versions.contains) else { return [] }
        return Array(noted[(last + 1)...])
    }
}
