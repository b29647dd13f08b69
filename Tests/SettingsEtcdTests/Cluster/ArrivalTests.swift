import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("From one process to another", .timeLimit(Rounds.timeLimit))
    struct ArrivalTests {
        /// The moments at which numbers were seen, in nanoseconds.
        private typealias Moments = Recorder<(number: Int, moment: Int64)>

        @Test("A change of one process is seen by another as soon as by etcd's own watch")
        func delay() async throws {
            try await Fleet.with { fleet in
                let (own, etcd) = (Moments(), Moments())
                let worker = try Worker(
                    "fleet-follow", fleet.directory + "/other", fleet.server.endpoint, "test/")
                let reading = Task {
                    for await line in worker.lines {
                        let parts = line.split(separator: " ").compactMap { Int64($0) }
                        if parts.count == 2 { own.append((Int(parts[0]), parts[1])) }
                    }
                }
                let watch = Process()
                watch.executableURL = URL(fileURLWithPath: try #require(EtcdServer.path(of: "etcdctl")))
                watch.arguments = ["--endpoints", fleet.server.endpoint, "watch", "test/value"]
                watch.environment = ["ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"]
                let pipe = Pipe()
                (watch.standardOutput, watch.standardError) = (pipe, FileHandle.nullDevice)
                pipe.readLines { line in
                    if let number = Int(line) { etcd.append((number, Self.now())) }
                }
                try watch.run()
                defer {
                    kill(watch.processIdentifier, SIGKILL)
                    worker.send(SIGKILL)
                }
                let store = try fleet.store()
                // The first changes may be made before both watch.
                var number = 0
                try #require(
                    try await eventually {
                        number += 1
                        try store.save("value", "\(number)")
                        return own.count > 0 && etcd.count > 0
                    })
                var written: [Int: Int64] = [:]
                for _ in 0..<200 {
                    number += 1
                    written[number] = Self.now()
                    try store.save("value", "\(number)")
                    try await Task.sleep(for: .milliseconds(5))
                }
                let last = number
                try await until { own.all.last?.number == last && etcd.all.last?.number == last }
                func delays(_ seen: Moments) -> [Double] {
                    seen.all.compactMap { number, moment in
                        written[number].map { Double(moment - $0) / 1_000_000 }
                    }.sorted()
                }
                let (ours, theirs) = (delays(own), delays(etcd))
                // Every change was seen: none is skipped, as they are made one after another.
                try #require(ours.count == 200 && theirs.count == 200)
                func text(_ delays: [Double]) -> String {
                    func at(_ part: Double) -> String {
                        (delays[Int(part * Double(delays.count - 1))] * 10).rounded().description
                    }
                    return "median \(at(0.5)), 99 % \(at(0.99)), longest \(at(1)) (in units of 0.1 ms)"
                }
                print("arrival, 200 changes: SettingsEtcd \(text(ours)); etcdctl watch \(text(theirs))")
                // On a busy machine, etcd's own client is as late.
                #expect(ours[100] <= max(20, 2 * theirs[100]), "\(text(ours)); \(text(theirs))")
                reading.cancel()
            }
        }

        private static func now() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    }
}
