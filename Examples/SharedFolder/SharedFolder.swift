// Three devices share their settings through folders that a bad syncer keeps alike. Run it with
//
//     swift run SharedFolder [SEED]
//
// Each device is a process of its own: the program starts copies of itself. The copier carries the devices' files between
// their folders: late, twice, in the wrong order, under other names, cut in the middle. In the end all devices must agree.

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@main
struct SharedFolder {
    static func main() {
        // When the other end of a pipe is gone, that is an error to be told, not a reason to end without a word.
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
            Console.show("This did not work: \(error)")
            exit(1)
        }
    }

    /// Lets three devices play, and brings all of them everything.
    private static func doDevicesAgree(seed: UInt64) throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("SharedFolder-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        Console.say("everybody", "begins with seed \(seed); give it as an argument for the same choices")

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
        Console.say("copier", "brings everything that is left")
        var reports: [Report] = []
        let doAllAgree = try wait(upTo: 30) {
            let isNothingNew = try !copier.bringEverything()
            reports = try devices.map { try $0.report() }
            return isNothingNew && reports.allSatisfy { $0.values == reports[0].values && $0.problems.isEmpty }
        }
        show(reports, of: devices)
        Console.show("The copier has delivered \(copier.count) files.")
        let isGood = haveAllPlayed && doAllAgree
        Console.show(isGood ? "All three devices agree." : "THE DEVICES DO NOT AGREE: see above what differs.")
        return isGood
    }

    private static func show(_ reports: [Report], of devices: [DeviceProcess]) {
        Console.show("")
        for (device, report) in zip(devices, reports) {
            Console.show(column(device.name) + report.values.map { column($0, width: 20) }.joined())
            for replica in report.replicas { Console.show(column("") + "knows " + replica) }
            for problem in report.problems { Console.show(column("") + "PROBLEM: " + problem) }
        }
        Console.show("")
    }

    static func column(_ text: String, width: Int = 10) -> String {
        text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
    }

    /// Asks again and again until something is so.
    ///
    /// - Returns: false if it never was.
    private static func wait(upTo seconds: Double, until condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Date().addingTimeInterval(seconds)
        while Date() < deadline {
            if try condition() { return true }
            Thread.sleep(forTimeInterval: 0.02)
        }
        return false
    }
}
