import Foundation
import SettingsKitCore
import Testing

@testable import SettingsSQLite

@Suite("A connection", .timeLimit(Rounds.timeLimit))
struct ConnectionTests {
    private func open(_ path: String) throws -> Connection {
        try DatabaseFile.prepare(path, store: "test")
        let connection = try Connection(path: path, isReadOnly: false, patience: .zero, description: "test \(path)")
        try connection.useWriteAheadLog()
        return connection
    }

    #if canImport(Darwin)
        @Test("What is synchronized is not left in the drive's cache")
        func driveCache() async throws {
            try await withDatabase { path in
                let connection = try open(path)
                #expect(try connection.integer("PRAGMA fullfsync") == 1)
                #expect(try connection.integer("PRAGMA checkpoint_fullfsync") == 1)
            }
        }
    #endif

    @Test("Statements whose texts are spelled with other scalars are two")
    func statementSpelling() async throws {
        try await withDatabase { path in
            let connection = try open(path)
            func count(_ text: String) throws -> Int64 { try connection.integer("SELECT length('\(text)')") }
            #expect(try count("\u{E9}") == 1)
            #expect(try count("e\u{301}") == 2)
            #expect(try count("\u{E9}") == 1)
        }
    }

    @Test("A library that is too old is named, with its version and the one that is needed")
    func oldLibrary() throws {
        let error = expectError(.libraryUnavailable) { try SQLiteLibrary.requireUsable(version: 3_007_017) }
        #expect(error?.description.contains("3.7.17") == true && error?.description.contains("3.24.0") == true)
        try SQLiteLibrary.requireUsable(version: SQLiteLibrary.oldestVersion)
        try SQLiteLibrary.requireUsable()
    }
}
