import SettingsKitCore

/// The versions of a schema that a database has, in terms of the versions that a program knows.
struct AppliedVersions {
    private let versions: [any SQLiteSchemaVersion]
    /// The ids that count as applied: those in the database, and those implied by them.
    private let ids: Set<String>

    /// - Parameters:
    ///   - ids: The ids in the database, in the order in which the versions were applied.
    ///   - versions: The versions of the program. A version comes after those that it replaces.
    ///   - knowsAll: Whether every id must be known. If not, unknown ids before the last known one count as versions that the
    ///     program no longer needs.
    ///   - store: The name of the database in errors.
    /// - Throws: `SettingsError` with the code `newerVersion`, or `schemaTooOld` if a version is missing that the program no
    ///   longer has.
    init(_ ids: [String], of versions: [any SQLiteSchemaVersion], knowsAll: Bool = false, store: String) throws {
        self.versions = versions
        self.ids = Self.consequences(of: ids, in: versions)
        let known = Set(versions.flatMap { [$0.id] + $0.replaces })
        let firstNewer = ids.lastIndex(where: known.contains).map { $0 + 1 } ?? 0
        let newer = knowsAll ? ids.filter { !known.contains($0) } : Array(ids[firstNewer...])
        guard newer.isEmpty else {
            throw SettingsError(
                .schemaTooNew, store: store, underlying: SQLiteProblem("Not known here: \(Self.list(newer))."))
        }
        try requireNothingLost(store)
    }

    /// Everything that counts as applied if the versions with these ids do.
    private static func consequences(of ids: [String], in versions: [any SQLiteSchemaVersion]) -> Set<String> {
        var ids = Set(ids)
        // Replaced versions come first in the list, so one pass in each direction is enough.
        for version in versions.reversed() where ids.contains(version.id) { ids.formUnion(version.replaces) }
        for version in versions where !version.replaces.isEmpty && ids.isSuperset(of: version.replaces) {
            ids.insert(version.id)
        }
        return ids
    }

    /// The versions to apply, in order.
    var missing: [any SQLiteSchemaVersion] {
        versions.filter { version in
            !ids.contains(version.id)
                && !versions.contains { $0.replaces.contains(version.id) && isWhollyMissing($0) }
        }
    }

    /// Whether none of the versions that a version replaces was applied, so that it can be applied instead.
    private func isWhollyMissing(_ version: any SQLiteSchemaVersion) -> Bool {
        ids.isDisjoint(with: replaced(by: version))
    }

    /// The ids that a version replaces, directly or through versions that it replaces.
    private func replaced(by version: any SQLiteSchemaVersion) -> Set<String> {
        let inner = versions.filter { version.replaces.contains($0.id) }
        return inner.reduce(into: Set(version.replaces)) { $0.formUnion(replaced(by: $1)) }
    }

    /// - Throws: if only some of the replaced versions were applied, and the program lacks the others.
    private func requireNothingLost(_ store: String) throws {
        for version in versions where !ids.contains(version.id) && !isWhollyMissing(version) {
            let lost = version.replaces.filter { id in !ids.contains(id) && !versions.contains { $0.id == id } }
            guard lost.isEmpty else {
                throw SettingsError(
                    .schemaTooOld, store: store,
                    underlying: SQLiteProblem(
                        "The database lacks \(Self.list(lost)), which version \(version.id) replaces. "
                            + "Open it once with a program that has these versions."))
            }
        }
    }

    static func list(_ ids: [String]) -> String { ids.joined(separator: ", ") }
}
