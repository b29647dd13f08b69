import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform

/// Migrations of one property list, or of two: number n sets both numbers to n, adds 1 to both counters, and has the baton
/// go from one name, or list, to the other.
struct MigrationWorld {
    private let settings: SettingsService
    private let far: SettingsService.Scope

    init(_ path: String, _ other: String) throws {
        var stores: [SettingsService.Scope: any SettingsStore] = [
            .defaults: try PropertyListStore(url: URL(fileURLWithPath: path), lag: .milliseconds(250))
        ]
        far = other == "-" ? .defaults : .shared
        if other != "-" {
            stores[.shared] = try PropertyListStore(url: URL(fileURLWithPath: other), lag: .milliseconds(250))
        }
        settings = SettingsService(
            stores: stores,
            diagnosticSink: .init { problem in
                // Another process may be further on.
                if problem.code != .newerVersion { say("problem \(problem)") }
            })
    }

    private var left: Setting<Int> { Setting("left", in: .defaults, default: 0) }
    private var right: Setting<Int> { Setting("right", in: far, default: 0) }
    private var leftCount: Setting<Int> { Setting("leftCount", in: .defaults, default: 0) }
    private var rightCount: Setting<Int> { Setting("rightCount", in: far, default: 0) }

    func migrate(to number: Int) throws {
        let (left, right, leftCount, rightCount) = (left, right, leftCount, rightCount)
        let isAlone = far == .defaults
        let step = SettingsService.Migration.version("\(number)") { t in
            t.set(left, to: number)
            t.set(right, to: number)
            t[leftCount] += 1
            // In another store, a step may run again.
            t[rightCount] = isAlone ? t[rightCount] + 1 : number
        }
        let baton = Setting<String?>("baton", in: .defaults)
        let farBaton = Setting<String?>("farBaton", in: far)
        // A move is tried each time, so each time it goes somewhere.
        let move: SettingsService.Migration =
            number % 2 == 0
            ? .rename("farBaton", in: far, to: baton) : .rename("baton", in: .defaults, to: farBaton)
        try settings.migrate([move, step])
    }
}
