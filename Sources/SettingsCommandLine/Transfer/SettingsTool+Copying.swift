import Foundation
import SettingsEtcd
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var copy: Self {
        Self(
            name: "copy", options: [.dryRun, .replace, .allowEmpty, .force, .json],
            groups: [
                StoreArguments.options(),
                StoreArguments.options(prefix: "to-", title: "TARGET is one of these:", placeholder: "TARGET"),
            ], summary: "Copy all settings to another store, of the same kind or another.",
            discussion: "The same bytes are stored. Settings that only the target has stay, unless --replace is given. "
                + "Up to \(StoreCopy.batchSize) settings are stored at a time, each batch whole or not at all. If the copying ends early, "
                + "both stores can be used, and the same command goes on with what is missing."
        ) { tool, invocation, streams in
            try tool.copy(invocation, streams)
        }
    }
}

extension SettingsTool {
    fileprivate func copy(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let arguments = try StoreArguments(invocation, prefix: "to-")
        guard try arguments.place != StoreArguments(invocation).place else {
            throw CommandFailure.usage(
                "The target is the store itself. Name another one with --to-file, --to-sqlite, ...")
        }
        let isDry = invocation.has(.dryRun)
        return try withStore(invocation, streams, for: .reading) { source in
            let settings = try source.contents()
            if source.isDamaged && invocation.has(.replace) {
                throw CommandFailure.failure(
                    "\(source.description) is damaged, so that --replace would remove settings that may only be unreadable. "
                        + "Nothing was copied. Repair it with settings doctor, or copy without --replace.")
            }
            if invocation.has(.replace) {
                try requireSettings(settings.values.count, in: source.description, invocation)
            }
            let target = try OpenedStore(
                arguments, for: isDry ? .readingIfPresent : .writing, isForced: invocation.has(.force))
            defer { target.reportProblems(to: streams) }
            let copy = StoreCopy(
                StoredDifference.list(from: try target.contents(), to: settings, isMerging: !invocation.has(.replace)))
            if isDry || invocation.has(.json) { try copy.differences.print(streams, asJSON: invocation.has(.json)) }
            if !isDry { try carryOut(copy, to: target, of: settings.values.count, streams) }
            if !invocation.has(.json) {
                let count = copy.differences.count
                let result = isDry ? "would change" : "changed"
                try streams.print("\(counted(settings.values.count)), \(count) \(result).\n")
            }
            return source.isDamaged ? .failure : .success
        }
    }

    private func carryOut(
        _ copy: StoreCopy, to target: OpenedStore, of count: Int, _ streams: CommandStreams
    ) throws {
        let interruption = Interruption()
        defer { interruption.end() }
        if copy.isLong {
            // Said before, because a killed process cannot say it.
            streams.report(
                "Copying \(counted(copy.differences.count)). If this ends early, run the same command again: it goes on with "
                    + "what is missing.")
        }
        do throws(StoreCopy.Stop) {
            try copy.carryOut(to: target.store) { done in
                streams.progress("\(done) of \(copy.differences.count)")
                return interruption.hasCome
            }
            streams.endProgress()
        } catch {
            streams.endProgress()
            let reason = error.error.map { message(for: $0) } ?? "The copying was interrupted."
            throw CommandFailure.failure(
                "\(reason)\n\(error.doneCount) of \(copy.differences.count) changes are stored in \(target.description), and both "
                    + "stores can be used. Run the same command again to go on with the rest.")
        }
    }
}

/// Makes the differences of a copy, batch by batch. Doing it again after it has ended early goes on, because the differences
/// are found from what both stores hold.
struct StoreCopy: Sendable {
    /// The reason why it ended early, and the number of changes that were stored.
    struct Stop: Error {
        /// Nil if it was interrupted.
        let error: (any Error)?
        let doneCount: Int
    }

    /// The number of settings that are stored together: few enough for a batch of any store, and enough for its cost.
    static let batchSize = 500

    /// Writes first, so that a copy that ends early lacks nothing that the target had.
    let differences: [StoredDifference]

    init(_ differences: [StoredDifference]) {
        self.differences = differences.filter { $0.new != nil } + differences.filter { $0.new == nil }
    }

    /// Whether there is more than one batch.
    var isLong: Bool { differences.count > Self.batchSize }

    /// - Parameter isStopped: Called after each batch with the number of changes so far; returns whether to stop.
    /// - Throws: ``Stop``.
    func carryOut(to store: any SettingsStore, isStopped: (Int) -> Bool) throws(Stop) {
        var (done, batchSize) = (0, Self.batchSize)
        do {
            while done < differences.count {
                let batch = differences[done...].prefix(batchSize)
                do {
                    try StoredDifference.make(batch, in: store)
                } catch let error as SettingsError
                    where [.tooManyOperations, .tooLarge].contains(error.code) && batch.count > 1
                {
                    // A cluster's transaction has fewer settings, and fewer bytes.
                    batchSize = batch.count / 2
                    continue
                }
                done += batch.count
                if isStopped(done) { break }
            }
            try store.synchronize()
        } catch {
            throw Stop(error: error, doneCount: done)
        }
        if done < differences.count { throw Stop(error: nil, doneCount: done) }
    }
}
