#if canImport(Glibc)
    import Foundation
    import Testing

    @testable import SettingsKitFiles
    @testable import SettingsKitPlatform

    /// What a process costs that does nothing, counted by the kernel.
    @Suite("A process that does nothing", .timeLimit(Rounds.timeLimit))
    struct QuietProcessTests {
        @Test(
            "A process that does nothing that has opened and closed a store many times has threads, descriptors and memory as at the start"
        )
        func openAndClose() async throws {
            try await withTemporaryDirectory { directory in
                let worker = try Worker(
                    "open-and-close", "\(directory)/Settings.plist", "\(Rounds.choose(300, full: 10_000))")
                var usages: [[Int]] = []
                for await line in worker.lines { usages.append(line.split(separator: " ").compactMap { Int($0) }) }
                #expect(await worker.status() == 0)
                try #require(usages.map(\.count) == [3, 3, 1])
                let (start, end, peak) = (usages[0], usages[1], usages[2][0])
                // Those of Dispatch that have not ended yet.
                #expect(peak <= 16, "\(peak) threads at once")
                #expect(end[0] <= start[0], "threads: \(start[0]), then \(end[0])")
                #expect(end[1] <= start[1], "descriptors: \(start[1]), then \(end[1])")
                #expect(end[2] <= start[2] + 16_384, "KiB: \(start[2]), then \(end[2])")
            }
        }
    }
#endif
