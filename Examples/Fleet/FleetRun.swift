import Foundation
import SettingsEtcd
import SettingsKit
import Synchronization

/// The run of the example.
enum FleetRun {
    static func run(rounds: Int, copies count: Int) throws -> Int32 {
        guard Cluster.path(of: "etcd") != nil else {
            say("This example needs etcd, which is not installed (Debian: apt-get install etcd-server etcd-client).")
            return 0
        }
        say("Look at the delays: each is the time from a change in one process until another process is notified.")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let cluster = Cluster(in: folder)
        defer {
            for index in 0..<3 { cluster.stop(index) }
            try? FileManager.default.removeItem(atPath: folder)
        }
        let settings = try openService(cluster.endpoints, folder)
        let copies = try (0..<count).map { _ in
            try Copy([cluster.endpoints.joined(separator: ","), folder])
        }
        defer { for copy in copies { copy.end() } }
        wait(seconds: 20) { copies.allSatisfy { $0.isReady.load(ordering: .acquiring) } }

        var (agreed, stopped) = (0, nil as Int?)
        for round in 1...rounds {
            if round == rounds / 3 {
                let leader = cluster.leader()
                say("  The leader, member \(leader), is stopped.")
                cluster.stop(leader)
                stopped = leader
            }
            if round == rounds * 2 / 3, let leader = stopped {
                say("  Member \(leader) is started again.")
                cluster.start(leader)
            }
            let start = now()
            do {
                try settings.save(.round, to: [round, start])
                agreed += 1
            } catch {
                say("  \(error)")
            }
            let taken = now() - start
            wait(seconds: 1) { copies.allSatisfy { $0.delays.withLock { $0[round] != nil } } }
            let delays = copies.map { copy in copy.delays.withLock { $0[round] }.map(milliseconds) ?? "-" }
            say(
                "Change \(round): agreed on after \(milliseconds(taken)) ms; seen after \(delays.joined(separator: ", ")) ms"
            )
            let rest = 1_000_000_000 - (now() - start)
            if rest > 0 { Thread.sleep(forTimeInterval: Double(rest) / 1e9) }
        }
        return table(copies, rounds: rounds, agreed: agreed)
    }

    /// Prints what each copy has seen.
    ///
    /// - Returns: The exit code: 1 if a change was lost.
    private static func table(_ copies: [Copy], rounds: Int, agreed: Int) -> Int32 {
        wait(seconds: 5) { copies.allSatisfy { $0.delays.withLock { $0[rounds] != nil } } }
        say("\n| process | changes seen | median | longest | last change |")
        say("|---|---|---|---|---|")
        var isLost = agreed < rounds
        for (index, copy) in copies.enumerated() {
            let delays = copy.delays.withLock { $0 }
            let sorted = delays.values.sorted()
            let hasLast = delays[rounds] != nil
            isLost = isLost || !hasLast
            let (median, longest) = (sorted.isEmpty ? 0 : sorted[sorted.count / 2], sorted.last ?? 0)
            say(
                "| \(index + 1) | \(delays.count) of \(rounds) | \(milliseconds(median)) ms | \(milliseconds(longest)) ms "
                    + "| \(hasLast ? "seen" : "missed") |")
        }
        say(isLost ? "A change was lost." : "Every process has the last value, and no change was lost.")
        return isLost ? 1 : 0
    }

    private static func milliseconds(_ nanoseconds: Int) -> String {
        String(format: "%.1f", Double(nanoseconds) / 1e6)
    }

    private static func wait(seconds: Double, _ condition: () -> Bool) {
        let end = Date().addingTimeInterval(seconds)
        while !condition(), Date() < end { Thread.sleep(forTimeInterval: 0.002) }
    }
}
