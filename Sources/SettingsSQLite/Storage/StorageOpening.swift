import Dispatch
import SettingsKitCore
import SettingsKitPlatform

/// Opens the connections of a storage.
struct StorageOpening: Sendable {
    let path: String
    let description: String
    let options: SQLiteStorage.Options

    init(path: String, options: SQLiteStorage.Options) {
        self.path = path
        self.options = options
        let label = options.label.map { " (\($0))" } ?? ""
        description = "SQLiteStorage \(path)\(label)"
    }

    var isInMemory: Bool { path == Connection.inMemory }

    var patience: Duration { min(max(options.patience, .zero), .seconds(1_000_000)) }

    /// Returns the pool of the connection that writes.
    ///
    /// - Parameter version: SQLite's number for the current state.
    func writingPool(_ connection: Connection, version: Int64) -> ConnectionPool {
        let pooled = PooledConnection(queue: queue("writer"), connection, version: version)
        return ConnectionPool(limit: 1, patience: patience, description: description) { pooled }
    }

    /// Returns the pool of the connections that read.
    ///
    /// - Parameter file: The file that the writer has opened. Another one may have its path now.
    func readingPool(of file: FileStatus?) -> ConnectionPool {
        ConnectionPool(
            limit: max(1, options.maximumReaderCount), patience: patience, description: description
        ) { [self] in
            PooledConnection(queue: queue("reader")) { try reader(of: file) }
        }
    }

    private func queue(_ role: String) -> DispatchQueue {
        DispatchQueue(label: "SettingsKit.\(description).\(role)", target: options.targetQueue)
    }

    func writer() throws -> Connection {
        if options.access == .readOnly && !isInMemory {
            try DatabaseFile.requireFile(path, store: description)
        } else if !isInMemory {
            try DatabaseFile.make(path, store: description)
        }
        return try connection()
    }

    private func reader(of file: FileStatus?) throws -> Connection {
        let connection = try connection()
        try connection.requireSameFile(as: file)
        return connection
    }

    private func connection() throws -> Connection {
        try Connection(
            path: path, isReadOnly: options.access == .readOnly, patience: patience, description: description)
    }
}
