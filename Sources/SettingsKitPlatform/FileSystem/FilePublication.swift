import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Replaces files as a whole, while other processes may do the same.
///
/// 1. Plans the contents.
/// 2. Prepares new files beside the current ones: writes and synchronizes them. This takes time, so nothing is locked.
/// 3. Locks out other processes, and compares the current files with those of the plan. If they are the same, puts the new files
///    in their places. Otherwise starts again.
/// 4. Synchronizes the directory.
/// 5. Updates what depends on the new files, and removes temporary files of dead processes.
package protocol FilePublication {
    associatedtype Plan

    /// The name of the store in errors.
    var store: String { get }
    /// The required safety of new files before they are put in place.
    var flush: Flush { get }
    /// Returns the plan. Nil if there is nothing to write.
    ///
    /// - Parameter isRetry: Whether the current files have changed since the last plan.
    func plan(isRetry: Bool) throws -> Plan?
    /// Returns the new files, in the order in which they are put in place.
    func contents(of plan: Plan) throws -> [WholeFile.NewContents]
    /// Locks out other processes, compares the current files with the plan's, and puts the prepared ones in place.
    ///
    /// - Returns: false if the current files have changed.
    func put(_ prepared: [WholeFile.Prepared], _ plan: Plan) throws -> Bool
    /// Returns when the files are safe.
    func synchronize() throws
    /// Updates what depends on the new files, and removes temporary ones.
    func finish()
}

extension WholeFile {
    /// The new contents of a file.
    package struct NewContents: Sendable {
        package let file: WholeFile
        package let bytes: Data
        /// The permissions of a file without a predecessor. Nil for its owner only.
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

    /// Brings the files up to date, and returns when they are safe.
    ///
    /// - Throws: `conflict` if the current files keep changing; the errors of the steps.
    package func publish() throws {
        var attempts = 0
        while let plan = try plan(isRetry: attempts > 0) {
            if try prepareAndPut(plan) { break }
            attempts += 1
            guard attempts < PlatformLimits.publicationAttempts else { throw SettingsError(.conflict, store: store) }
        }
        try synchronize()
        finish()
    }

    private func prepareAndPut(_ plan: Plan) throws -> Bool {
        var prepared: [(file: WholeFile, new: WholeFile.Prepared)] = []
        // Does nothing for files in place.
        defer { for (file, new) in prepared { file.discard(new) } }
        for contents in try contents(of: plan) {
            let new = try contents.file.prepare(contents.bytes, permissions: contents.permissions, flush: flush)
            prepared.append((contents.file, new))
        }
        return try put(prepared.map(\.new), plan)
    }
}
