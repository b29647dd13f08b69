import CSettingsKitSQLite
import Foundation
import Testing

/// A database as another program uses it: SQLite, and nothing of the module.
package final class OtherProgram {
    private let handle: OpaquePointer

    package init(_ path: String) throws {
        var handle: OpaquePointer?
        // Made if it is not there.
        let code = sqlite3_open_v2(path, &handle, Int32(SQLITE_OPEN_READWRITE | 0x4), nil)
        self.handle = try #require(handle)
        try #require(code == 0)
        sqlite3_busy_timeout(self.handle, 10_000)
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements, and answers their rows as text; NULL is nil.
    @discardableResult
    package func run(_ sql: String) throws -> [[String?]] {
        var rows: [[String?]] = []
        try sql.withCString { start in
            var rest: UnsafePointer<CChar>? = start
            while let text = rest, text.pointee != 0 {
                var statement: OpaquePointer?
                let code = sqlite3_prepare_v2(handle, text, -1, &statement, &rest)
                if code != 0 { throw failure(sql) }
                defer { sqlite3_finalize(statement) }
                guard let statement else { continue }
                var step = sqlite3_step(statement)
                while Int(step) == SQLITE_ROW {
                    rows.append(
                        (0..<sqlite3_column_count(statement)).map {
                            sqlite3_column_text(statement, $0).map { String(cString: $0) }
                        })
                    step = sqlite3_step(statement)
                }
                if Int(step) != SQLITE_DONE { throw failure(sql) }
            }
        }
        return rows
    }

    private func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The first column of the first row.
    package func text(_ sql: String) throws -> String? { try run(sql).first?.first ?? nil }
}
