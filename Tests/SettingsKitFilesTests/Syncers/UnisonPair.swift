import Foundation

/// Two directories that unison synchronizes when a test asks for it.
///
/// unison writes a file under a name of its own, `.unison.name.<digits>.unison.tmp`, and renames it; it keeps times to
/// the microsecond. It refuses to carry the removal of everything that was in a directory.
///
/// It has its own UNISON directory, which is removed with it.
final class UnisonPair: Sendable {
    /// How a pass ended.
    enum Outcome: Int32, Sendable {
        /// Everything was carried that was to be.
        case complete = 0
        /// Conflicts were left as they are.
        case skipped = 1
        /// Some files could not be carried, for instance because they changed meanwhile; the next pass tries again.
        case failed = 2
    }

    /// What is done with a file that was changed on both sides.
    enum Conflicts: Sendable {
        /// The newer one wins, and the other stays beside it as `name (conflict_on_2026-01-31).txt`, on the side that
        /// had it: the other side gets the copy in the next pass.
        ///
        /// A file that was removed on one side and changed on the other loses its name on both, in two passes, if
        /// unison takes the removal for the newer change: only a copy, `name (conflict_on_..._was_deleted).txt`, is
        /// left.
        case keepBoth
        /// Both sides stay as they are, until they are made equal.
        case skip
    }

    private let first: String
    private let second: String
    private let conflicts: Conflicts
    private let state: String

    init(_ first: String, _ second: String, conflicts: Conflicts = .keepBoth) throws {
        self.first = first
        self.second = second
        self.conflicts = conflicts
        state = FileManager.default.temporaryDirectory.appendingPathComponent("unison-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    }

    deinit {
        // Whatever cannot be removed stays in the system's directory for temporary files.
        try? FileManager.default.removeItem(atPath: state)
    }

    /// Compares the directories by contents, and carries what changed, both ways.
    ///
    /// - Throws: when unison could not do its work at all.
    @discardableResult
    func pass(within seconds: Double = 60) async throws -> Outcome {
        var arguments = [first, second, "-batch", "-ui", "text", "-color", "false", "-times", "-fastcheck", "false"]
        if conflicts == .keepBoth { arguments += ["-copyonconflict", "-prefer", "newer"] }
        // The host's name is part of the names of unison's own files.
        let environment = ["UNISON": state, "HOME": state, "UNISONLOCALHOSTNAME": "localhost"]
        let result = try await Tool.unison.run(arguments, environment: environment, within: seconds)
        guard let outcome = Outcome(rawValue: result.status) else {
            throw ToolError("unison ended with \(result.status)\n\(result.output)")
        }
        return outcome
    }
}
