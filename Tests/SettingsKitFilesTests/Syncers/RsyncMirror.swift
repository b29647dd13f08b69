/// Carries files both ways between two directories with rsync, newer over older, as people do from a script.
///
/// Nothing is deleted: a file that is removed on one side comes back from the other. rsync writes a file under a name
/// of its own, `.name.XXXXXX`, and renames it; it keeps times to the nanosecond.
struct RsyncMirror: Sendable {
    let first: String
    let second: String
    /// `-c` compares contents where otherwise equal sizes and times make files equal.
    var options = ["-rtu"]

    /// Carries files from `first` to `second`, then back.
    func pass(within seconds: Double = 60) async throws {
        try await carry(from: first, to: second, within: seconds)
        try await carry(from: second, to: first, within: seconds)
    }

    /// Carries files in one direction.
    func carry(from source: String, to target: String, within seconds: Double = 60) async throws {
        let result = try await Tool.rsync.run(options + ["\(source)/", "\(target)/"], within: seconds)
        // 24: a file was gone before it could be copied, which is ordinary in a directory that is in use.
        guard [0, 24].contains(result.status) else {
            throw ToolError("rsync ended with \(result.status)\n\(result.output)")
        }
    }
}
