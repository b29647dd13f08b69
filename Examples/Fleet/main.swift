// A setting that three processes share through etcd, and what happens while etcd is away. Run it with
//
//     swift run Fleet
//
// The program starts a cluster of one member, and three copies of itself that observe the setting. Without etcd on the machine
// it says so, and exits with 0.

import Foundation
import SettingsEtcd
import SettingsKit

extension SettingsService.SettingDefinition {
    static let limit = Setting<Int>("requestsPerSecond", in: .custom(id: "fleet"), default: 100)
}

/// Opens the fleet's settings. The folder has the values that a program starts with while the cluster is away.
func openSettings(_ endpoint: String, folder: URL) throws -> SettingsService {
    let store = try EtcdStore(endpoints: [endpoint], prefix: "fleet/example/", state: folder)
    // The outage is part of the example, so it is not reported.
    return SettingsService(storesForCustomScopes: [.custom(id: "fleet"): store], diagnosticSink: .none)
}

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

// MARK: A copy

if CommandLine.arguments.count == 3 {
    let settings = try openSettings(
        CommandLine.arguments[1], folder: URL(fileURLWithPath: CommandLine.arguments[2]))
    let subscription = settings.observe(.limit) { say("\($0.newValue)") }
    say("ready")
    // Until the program that started this copy closes the pipe.
    _ = FileHandle.standardInput.readDataToEndOfFile()
    subscription.cancel()
    exit(0)
}

// MARK: The program

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)")
let port = 20_000 + Int(ProcessInfo.processInfo.processIdentifier) % 5_000 * 2
let (endpoint, peer) = ("http://127.0.0.1:\(port)", "http://127.0.0.1:\(port + 1)")

func start(_ path: String, _ arguments: [String]) throws -> (process: Process, input: Pipe, output: Pipe) {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, FileHandle.nullDevice)
    try process.run()
    return (process, input, output)
}

func startCluster(_ etcd: String) throws -> Process {
    try start(
        etcd,
        [
            "--data-dir", folder.path + "/etcd", "--listen-client-urls", endpoint, "--advertise-client-urls", endpoint,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=\(peer)",
            "--logger", "zap", "--log-level", "fatal",
        ]
    ).process
}

guard
    let etcd = ["/usr/bin/etcd", "/usr/local/bin/etcd", "/opt/homebrew/bin/etcd"].first(
        where: FileManager.default.isExecutableFile)
else {
    say("This example needs etcd, which is not installed.")
    exit(0)
}
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
var cluster = try startCluster(etcd)
let settings = try openSettings(endpoint, folder: folder.appendingPathComponent("own"))
let copies = try (1...3).map { number in
    try start(CommandLine.arguments[0], [endpoint, folder.path + "/copy-\(number)"])
}

/// The next line of each copy.
func lines() -> String {
    copies.map { String(decoding: $0.output.fileHandleForReading.availableData, as: UTF8.self).dropLast() }.joined(
        separator: ", ")
}

say("Look at the copies: each prints what it sees. They are \(lines()).")
try settings.save(.limit, to: 200)
say("Saved; the copies see \(lines()).")

cluster.terminate()
cluster.waitUntilExit()
say("The cluster is away.")
do {
    try settings.save(.limit, to: 300)
} catch let error as SettingsError {
    say("Saving fails: \(error.code). The limit is still \(settings.get(.limit)).")
}

cluster = try startCluster(etcd)
try settings.save(.limit, to: 400)
say("The cluster is back; the copies see \(lines()).")

for copy in copies { try copy.input.fileHandleForWriting.close() }
cluster.terminate()
cluster.waitUntilExit()
try FileManager.default.removeItem(at: folder)
