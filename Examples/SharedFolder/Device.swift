import Foundation
import SettingsKit

/// One device: a shared folder, a state of its own beside it, and somebody who keeps changing the settings.
struct Device {
    private let store: DirectoryStore
    private let settings: SettingsService

    init(name: String, home: URL) throws {
        var options = DirectoryStore.Options()
        options.deviceName = name
        store = try DirectoryStore(
            at: home.appendingPathComponent("Shared"), state: home.appendingPathComponent("State"), options: options)
        settings = SettingsService(defaults: nil, shared: store, diagnosticSink: .none)
    }

    /// Changes settings for some seconds; then answers each line of input with a report, and ends with the input.
    func run(seed: UInt64) throws {
        let subscriptions = [
            listen(to: .theme) { $0.rawValue },
            listen(to: .volume) { "\($0)" },
            listen(to: .nickname) { $0 ?? "nobody" },
        ]
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
        for subscription in subscriptions { subscription.cancel() }
    }

    /// Says what becomes of a setting: what this device makes of it, and what it hears of others.
    private func listen<Value>(
        to setting: Setting<Value>, text: @escaping @Sendable (Value) -> String
    ) -> SettingsService.Subscription {
        settings.observe(setting) { change in
            let (name, value) = (change.key.name, text(change.newValue))
            let isOthers = change.origin == .external
            Message.says(isOthers ? "  hears that \(name) is \(value)" : "sets \(name) to \(value)").send()
        }
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
            values: [
                "theme: \(settings.get(.theme).rawValue)", "volume: \(settings.get(.volume))",
                "nickname: \(settings.get(.nickname) ?? "nobody")",
            ],
            replicas: store.replicas.map { replica in
                "\(SharedFolder.column(replica.deviceName)) \(replica.id), \(replica.entryCount) entries"
                    + (replica.isOwn ? ", this device" : "")
            },
            problems: store.report.problems.map(\.description))
    }
}
