// Three devices share settings through folders that a bad syncer keeps in step. Run it with
//
//     swift run SharedFolder [SEED]
//
// Each device is a separate process: the program starts copies of itself. The syncer carries the devices' files between
// their folders: late, twice, in the wrong order, under other names, cut off. In the end, all devices must agree.

import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@main
struct SharedFolder {
    static func main() {
        // Writing to a closed pipe should be an error, and not end the process silently.
        signal(SIGPIPE, SIG_IGN)
        let arguments = CommandLine.arguments
        do {
            if arguments.count == 5, arguments[1] == "device", let seed = UInt64(arguments[4]) {
                let device = try Device(name: arguments[2], home: URL(fileURLWithPath: arguments[3]))
                try device.run(seed: seed)
            } else {
                let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 1...999_999)
                if try !doDevicesAgree(seed: seed) { exit(1) }
            }
        } catch {
            Console.show("The example failed: \(error)")
            exit(1)
        }
    }

    /// Runs three devices, delivers all files, and prints the devices' settings.
    private static func doDevicesAgree(seed: UInt64) throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("SharedFolder-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        Console.show("Look at the table: in the end, all devices have the same values, whatever the syncer did.")
        Console.show("Three devices change settings, and a bad syncer carries their files (seed \(seed)).")

        var devices: [DeviceProcess] = []
        defer { for device in devices { device.end() } }
        for (index, name) in ["laptop", "phone", "tablet"].enumerated() {
            let home = folder.appendingPathComponent(name)
            devices.append(try DeviceProcess(name: name, home: home, seed: seed &+ UInt64(index)))
        }
        var copier = Copier(devices.map { ($0.name, $0.sharedFolder) }, seed: seed)

        let haveAllPlayed = try wait(upTo: 30) {
            try copier.work()
            return devices.allSatisfy(\.hasPlayed)
        }
        var reports: [Report] = []
        let doAllAgree = try wait(upTo: 30) {
            let isNothingNew = try !copier.bringEverything()
            reports = try devices.map { try $0.report() }
            return isNothingNew && reports.allSatisfy { $0.values == reports[0].values && $0.problems.isEmpty }
        }
        Console.show(copier.summary)
        show(reports, of: devices)
        let isGood = haveAllPlayed && doAllAgree
        Console.show(isGood ? "All three devices agree." : "THE DEVICES DO NOT AGREE.")
        return isGood
    }

    private static func show(_ reports: [Report], of devices: [DeviceProcess]) {
        Console.show("")
        Console.show(row(["device", "theme", "volume", "nickname", "own changes", "received"]))
        for (device, report) in zip(devices, reports) {
            Console.show(row([device.name] + report.values + ["\(report.ownChanges)", "\(report.othersChanges)"]))
            for problem in report.problems { Console.show("  " + problem) }
        }
        Console.show("")
    }

    private static func row(_ cells: [String]) -> String {
        cells.dropLast().map { $0.padding(toLength: 13, withPad: " ", startingAt: 0) }.joined() + (cells.last ?? "")
    }

    /// Tests a condition repeatedly until it is true.
    ///
    /// - Returns: false if it did not become true in time.
    private static func wait(upTo seconds: Double, until condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Date().addingTimeInterval(seconds)
        while Date() < deadline {
            if try condition() { return true }
            Thread.sleep(forTimeInterval: 0.02)
        }
        return false
    }
}
