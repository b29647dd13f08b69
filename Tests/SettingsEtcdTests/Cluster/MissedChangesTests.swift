import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

#if os(Linux)
    extension WithSlowEtcd {
        @Suite("Changes that a program has missed", .timeLimit(.minutes(5)))
        struct MissedChangesTests {
            /// The most memory that a process has used so far, in MB.
            private func peak(of worker: Worker) throws -> Int {
                let status = try String(contentsOfFile: "/proc/\(worker.processID)/status", encoding: .utf8)
                let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
                return try #require(Int(line.split(separator: " ").dropLast().last ?? "")) / 1024
            }

            /// In an outage, the worker reaches nothing; otherwise its watch hangs, and another one tells what was missed.
            @Test(
                "Memory depends on what is stored, not on how often it was changed meanwhile", arguments: [true, false])
            func memory(isOutage: Bool) async throws {
                let changes = Rounds.choose(15, full: 40)
                try await Fleet.withProxy { fleet, proxy, _ in
                    let other = try FaultyProxy(to: fleet.server.ports[0])
                    defer { other.close() }
                    let writer = try fleet.store(state: "writer") { $0.patience = .seconds(30) }
                    let text = String(repeating: "0123456789", count: 139_000)
                    try writer.save("blob", "\"first\(text)\"")
                    let worker = try Worker(
                        "fleet-follow", fleet.directory + "/other",
                        proxy.endpoint + (isOutage ? "" : "," + other.endpoint), "test/")
                    var lines = worker.lines.makeAsyncIterator()
                    #expect(await lines.next() == "ready")
                    try writer.save("blob", "\"second\(text)\"")
                    try writer.save("value", "1")
                    #expect(await lines.next()?.hasPrefix("1 ") == true)
                    let before = try peak(of: worker)
                    proxy.setFaults(.init(isStopped: !isOutage, isRefusing: isOutage))
                    if isOutage { proxy.cutAll() }
                    for number in 0..<changes { try writer.save("blob", "\"\(number)\(text)\"") }
                    if isOutage { proxy.setFaults(.init()) }
                    try writer.save("value", "2")
                    #expect(await lines.next()?.hasPrefix("2 ") == true)
                    let after = try peak(of: worker)
                    print("\(changes) missed changes of 1.4 MB: \(before) MB before, \(after) MB after")
                    #expect(after < before + 100, "\(before) MB, then \(after) MB")
                }
            }
        }
    }
#endif
