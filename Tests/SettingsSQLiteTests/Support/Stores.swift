import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

/// Opens the store in a file as every program does.
func openStore(_ path: String, table: String = "settings") throws -> SQLiteStore {
    try SQLiteStore(at: URL(fileURLWithPath: path), table: table)
}

/// Opens the store as another process would, with nothing in memory yet.
func freshStore(_ path: String, table: String = "settings") throws -> SQLiteStore {
    try SQLiteStore(path: path, table: table, isWatching: false)
}

/// Runs `body` with the path of a database, which is not there yet, in a directory of its own.
func withDatabase<R>(_ body: (String) async throws -> R) async throws -> R {
    try await withTemporaryFolder { try await body($0.resolvingSymlinksInPath().path + "/Vault.sqlite") }
}

/// The bytes of each file of a directory.
func contents(of directory: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
        contents[name] = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
    }
    return contents
}

extension SettingsService {
    /// A service whose `.defaults` are in `store`, and what goes wrong in it.
    static func over(_ store: any SettingsStore) -> (service: SettingsService, problems: Recorder<SettingsError>) {
        let problems = Recorder<SettingsError>()
        return (SettingsService(stores: [.defaults: store], diagnosticSink: .init { problems.append($0) }), problems)
    }
}

/// Expects an error with a code, whose text contains no value with "secret" in it.
@discardableResult
func expectError(
    _ code: SettingsError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> SettingsError? {
    let error = #expect(throws: SettingsError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == code, "\(error as Any)", sourceLocation: sourceLocation)
    #expect(error?.description.contains("secret") != true, sourceLocation: sourceLocation)
    return error
}
