import Foundation
import SettingsKitCore
import SettingsKitFiles

/// What the tests have several processes do that write one property list all the time.
enum CrowdWork {
    /// Writes one batch of `size` values after the other, and says so when it is written, for ever.
    static func writeBatches(_ path: String, _ name: String, size: Int) throws {
        let settings = SettingsService(
            stores: [.defaults: try PropertyListStore(url: URL(fileURLWithPath: path))],
            diagnosticSink: .init { say("problem \($0.code.name)") })
        let keys = (0..<size).map { Setting<Int>("\(name) \($0)", in: .defaults, default: 0) }
        for number in 1... {
            settings.transaction { transaction in
                for key in keys { transaction.set(key, to: number) }
            }
            say("\(number)")
        }
    }

    /// Sets one value after the other, with pauses in which the others take the lock. Says how many were refused as busy, how long the
    /// longest set took, and how long most of them took at most, in microseconds.
    static func setSingly(_ path: String, count: Int) throws {
        let settings = SettingsService(
            stores: [.defaults: try PropertyListStore(url: URL(fileURLWithPath: path))],
            diagnosticSink: .init { if $0.code != .busy { say("problem \($0.code.name)") } })
        let setting = Setting<Int>("single", in: .defaults, default: 0)
        var (busy, times) = (0, [Int]())
        for number in 1...count {
            let start = now()
            settings.set(setting, to: number)
            times.append((now() - start) / 1_000)
            if settings.get(setting) != number { busy += 1 }
            usleep(1_000)
        }
        times.sort()
        say("busy \(busy)")
        say("longest \(times[count - 1])")
        say("99 % \(times[count * 99 / 100])")
        say("median \(times[count / 2])")
    }
}
