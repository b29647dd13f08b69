import Foundation
import SettingsKit
import Synchronization

/// A device: a shared folder, a local state beside it, and a user who keeps changing settings.
struct Device {
    private let store: DirectoryStore
    private let settings: SettingsService
    private let counter = ChangeCounter()

    init(name: String, home: URL) throws {
        var options = DirectoryStore.Options()
        options.deviceName = name
        store = try DirectoryStore(
            at: home.appendingPathComponent("Shared"), state: home.appendingPathComponent("State"), options: options)
        settings = SettingsService(defaults: nil, shared: store, diagnosticSink: .none)
    }

    /// Changes settings for some seconds. Then answers each line of input with a report, and ends with the input.
    func run(seed: UInt64) throws {
        let subscription = settings.observe(.theme, .volume, .nickname) { [counter] changes in
            counter.count(changes)
        }
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            Thread.sleep(forTimeInterval: .random(in: 0.1...0.7, using: &random))
            changeSomething(using: &random)
        }
        Message.hasPlayed.send()
        while readLine() != nil {
            try settings.synchronize()
            Message.report(report).send()
        }
        subscription.cancel()
    }

    private func changeSomething(using random: inout SeededGenerator) {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: settings.set(.theme, to: Theme.allCases.randomElement(using: &random) ?? .system)
        case 1: settings.set(.volume, to: .random(in: 0...10, using: &random))
        case 2: settings.update(.volume) { $0 += 1 }
        case 3: settings.set(.nickname, to: ["Ann", "Bob", "Cleo", "Dan"].randomElement(using: &random))
        default: settings.set(.nickname, to: nil)
        }
    }

    private var report: Report {
        Report(
            values: [settings.get(.theme).rawValue, "\(settings.get(.volume))", settings.get(.nickname) ?? "none"],
            ownChanges: counter.own, othersChanges: counter.others,
            problems: store.report.problems.map(\.description))
    }
}

/// Counts the changes that a listener receives.
private final class ChangeCounter: Sendable {
    private let counts = Mutex((own: 0, others: 0))

    var own: Int { counts.withLock { $0.own } }
    var others: Int { counts.withLock { $0.others } }

    func count(_ changes: SettingsService.ChangeSet) {
        counts.withLock { counts in
            switch changes.origin {
            case .local: counts.own += changes.keys.count
            case .external: counts.others += changes.keys.count
            }
        }
    }
}
