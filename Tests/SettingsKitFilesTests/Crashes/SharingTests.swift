import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

/// Two processes of a simulated disk, which take turns.
@Suite("Several processes use one file", .ownThreads)
struct SharingTests {
    @Test("Several processes always agree with each other and with the order of their calls")
    func random() throws {
        for seed in Rounds.seeds(0..<60, part: 20) { try random(seed: seed) }
    }

    /// Runs the schedule that a seed decides.
    private func random(seed: UInt64) throws {
        let disk = try emptyDisk()
        var generator = SeededGenerator(seed: seed)
        var stores = try (0..<3).map { _ in try quietStore(disk.process()) }
        var model: Values = [:]
        for step in 0..<60 {
            let comment: Comment = "seed \(seed), step \(step)"
            let index = Int.random(in: 0..<3, using: &generator)
            let store = stores[index]
            let name = "k\(Int.random(in: 0..<6, using: &generator))"
            let value = Data("\(step)".utf8)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<5:
                try store.set(key(name), to: value)
                model[name] = value
            case 5:
                try store.set(key(name), to: nil)
                model[name] = nil
            case 6:
                let batch = SettingsStoreBatch(
                    writes: [.init(key: key(name), data: value), .init(key: key("batch"), data: value)],
                    expectations: [.init(key: key("batch"), data: model["batch"])])
                #expect(try store.apply(batch), comment)
                model[name] = value
                model["batch"] = value
            case 7: try store.refresh()
            case 8 where step % 7 == 0:
                try store.removeAll()
                model = [:]
            case 9:
                // A dead process, and a new one in its place.
                stores[index] = try quietStore(disk.process())
            case 10 where step > 20:
                // A person edits a file that is up to date. The edit counts from when the first process notices it.
                try store.bringUpToDate()
                var edited = try disk.storedValues() ?? [:]
                edited["edited"] = value
                edited[name] = value
                let members = edited.map { PropertyListMember(key: $0.key, value: NativeValue.value(for: $0.value)) }
                try disk.replace(Start.path, with: try XMLPropertyListWriter.write(members))
                model["edited"] = value
                model[name] = value
                if step.isMultiple(of: 2) {
                    stores[index] = try quietStore(disk.process())
                } else {
                    try store.refresh()
                }
            case 11: try store.synchronize()
            default: try store.bringUpToDate()
            }
        }
        for store in stores {
            try store.refresh()
            #expect(store.values == model, "seed \(seed)")
        }
        try stores[0].bringUpToDate()
        #expect(try disk.storedValues() ?? [:] == model, "seed \(seed)")
    }
}
