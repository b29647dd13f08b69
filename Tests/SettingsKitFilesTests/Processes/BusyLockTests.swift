import Foundation
import SettingsTestSupport
import Testing

/// Healthy processes have the lock most of the time: they write large batches, one after the other.
@Suite("A set beside processes that write large batches", .timeLimit(Rounds.timeLimit), .ownThreads)
struct BusyLockTests {
    /// The number of values in a batch that takes about as long as 5,000 in a release build.
    private static var batchSize: Int {
        #if DEBUG
            500
        #else
            5_000
        #endif
    }

    // How long a batch takes depends on the processors' other work: each process reads what the others have written before it
    // writes. So the machine has to be quiet.
    @Test(
        "It is refused as busy less than once in 1,000 times",
        .enabled(if: Rounds.areFull, "needs a quiet machine; see .ci/soak"), arguments: [2, 3])
    func busy(writerCount: Int) async throws {
        let count = 5_000
        try await withPropertyList { path in
            let writers = try (1...writerCount).map {
                try Worker("write-batches", path, "writer \($0)", "\(Self.batchSize)")
            }
            for writer in writers { await writer.wait(for: "3") }
            let setter = try Worker("set-singly", path, "\(count)")
            var lines: [String] = []
            for await line in setter.lines { lines.append(line) }
            #expect(await setter.status() == 0)
            // A problem of the worker would be another line.
            try #require(lines.count == 1, "\(lines)")
            #expect(try #require(Int(lines[0])) * 1_000 < count)
            for writer in writers { writer.send(SIGKILL) }
        }
    }
}
