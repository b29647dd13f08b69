import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Replaces files, each of them whole, while other processes may do the same.
///
/// 1. It is planned what to write.
/// 2. New files are prepared beside the present ones: written and synchronized. This takes time, so nothing is locked.
/// 3. With other processes locked out, the present files are compared with those of the plan. If they are the same, the new
///    files are put in their places. Otherwise everything begins again.
/// 4. The directory is synchronized.
/// 5. What follows from the new files is done, and temporary files of dead processes are removed.
package protocol FilePublication {
    associatedtype Plan

    /// What errors call the store.
    var store: String { get }
    /// How far new files are to be safe before they are put in place.
    var flush: Flush { get }
    /// Returns what to write. Nil if nothing is.
    ///
    /// - Parameter isRetry: Whether the present files have changed since the last plan.
    func plan(isRetry: Bool) throws -> Plan?
    /// Returns the new files, in the order in which they are put in place.
    func contents(of plan: Plan) throws -> [WholeFile.NewContents]
    /// Locks other processes out, compares the present files with the plan's, and puts the prepared ones in place.
    ///
    /// - Returns: false if the present files have changed.
    func put(_ prepared: [WholeFile.Prepared], _ plan: Plan) throws -> Bool
    /// Returns when the files are as safe as they are to be.
    func synchronize() throws
    /// Does what follows from the new files, and removes temporary ones.
    func finish()
}

extension WholeFile {
    /// What a file is to contain.
    package struct NewContents: Sendable {
        package let file: WholeFile
        package let bytes: Data
        /// The permissions of a file where there is none yet. Nil for its owner alone.
        package let permissions: FilePermissions?

        package init(of file: WholeFile, _ bytes: Data, permissions: FilePermissions? = nil) {
            self.file = file
            self.bytes = bytes
            self.permissions = permissions
        }
    }
}

extension FilePublication {
    package var flush: Flush { .durable }

    /// How often files are prepared before publishing fails because the present ones change all the time.
    private static var attemptLimit: Int { 20 }

    /// Brings the files up to date, and returns when they are as safe as they are to be.
    ///
    /// - Throws: `conflict` if the present files change all the time; what the steps throw.
    package func publish() throws {
        var attempts = 0
        while let plan = try plan(isRetry: attempts > 0) {
            if try prepareAndPut(plan) { break }
            attempts += 1
            guard attempts < Self.attemptLimit else { throw SettingsError(.conflict, store: store) }
        }
        try synchronize()
        finish()
    }

    private func prepareAndPut(_ plan: Plan) throws -> Bool {
        var prepared: [(file: WholeFile, new: WholeFile.Prepared)] = []
        // Has no effect on files that are in place.
        defer { for (file, new) in prepared { file.discard(new) } }
        for contents in try contents(of: plan) {
            let new = try contents.file.prepare(contents.bytes, permissions: contents.permissions, flush: flush)
            prepared.append((contents.file, new))
        }
        return try put(prepared.map(\.new), plan)
    }
}
