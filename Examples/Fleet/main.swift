// A setting that five processes share through a cluster of etcd, which loses its leader in the middle. Run it with
//
//     swift run Fleet
//
// The program starts a cluster of three members, and copies of itself that observe the setting. It changes the setting every
// second, prints how long each copy took to see the change, stops the leader and starts it again. At the end it prints a
// table, and exits with 1 if a copy has missed the last value. Without etcd on the machine it says so, and exits with 0.

import Foundation
import SettingsEtcd
import SettingsKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension SettingsService.SettingDefinition {
    /// The number of the change, and when it was made, in nanoseconds of the clock that all processes of a machine share.
    static let round = Setting<[Int]>("round", in: .custom(id: "fleet"), default: [0, 0])
}

func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Writes a line at once.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

func openService(_ endpoints: [String], _ folder: String) throws -> SettingsService {
    var options = EtcdStore.Options()
    options.patience = .seconds(10)
    options.openingPatience = .seconds(10)
    let store = try EtcdStore(
        endpoints: endpoints, prefix: "fleet/example/", state: URL(fileURLWithPath: folder + "/state"), options: options
    )
    // An outage is part of the example.
    return SettingsService(
        storesForCustomScopes: [.custom(id: "fleet"): store], diagnosticSink: .none)
}

// MARK: A copy

if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "copy" {
    let settings = try openService(
        CommandLine.arguments[2].split(separator: ",").map(String.init), CommandLine.arguments[3])
    let subscription = settings.observe(.round) { change in
        say("\(change.newValue[0]) \(now() - change.newValue[1])")
    }
    say("ready")
    // Until the program that started it closes the pipe.
    _ = FileHandle.standardInput.readDataToEndOfFile()
    subscription.cancel()
    exit(0)
}

// MARK: The program

exit(try FleetRun.run(rounds: 15, copies: 5))
