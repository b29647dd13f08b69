import Foundation
import SettingsKit
import Synchronization

/// Row 9: the time until another process receives a change.
enum Arrival {
    /// The argument that makes a copy of this program make the changes.
    static let argument = "--give-signs"

    private static let sign = Setting<Int>("sign", in: .defaults, default: 0)

    static func figures(_ isQuick: Bool) throws -> [Figure] {
        let delays = try measure(count: isQuick ? 300 : 2_000).sorted()
        return [(50, 1.0), (99, 5.0)].map { percent, target in
            let delay = delays.isEmpty ? nil : delays[delays.count * percent / 100]
            return Figure(
                9, "a change seen by another process, \(percent) %", .atMost(target), Figure.milliseconds, delay)
        }
    }

    /// Milliseconds of each change.
    private static func measure(count: Int) throws -> [Double] {
        let (folder, delays) = (try TemporaryFolder(), Locked<[Int]>([]))
        let settings = SettingsService(defaults: try PropertyListStore(url: folder.file))
        let subscription = settings.observe(sign) { change in
            if change.newValue > 0 { delays.mutex.withLock { $0.append(Child.now() - change.newValue) } }
        }
        Child.start(argument, folder.file.path, "\(count)").wait()
        usleep(100_000)
        subscription.cancel()
        return delays.mutex.withLock { $0 }.map { Double($0) / 1e6 }
    }

    /// Makes the changes. Each value is the time of its change.
    static func giveSigns(_ path: String, _ count: String) throws {
        let settings = SettingsService(defaults: try PropertyListStore(url: URL(fileURLWithPath: path)))
        for _ in 0..<(Int(count) ?? 0) {
            try settings.save(sign, to: Child.now())
            usleep(.random(in: 1_000...5_000))
        }
    }
}
