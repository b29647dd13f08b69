import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("Migrations on a disk that fails", .ownThreads)
struct MigrationCrashTests {
    private static let paths = ["/home/app/Near.plist", "/home/app/Far.plist"]

    private static let name = Setting<String>("name", in: .defaults, default: "")
    private static let count = Setting<Int>("count", in: .defaults, default: 0)

    private func steps(_ far: SettingsService.Scope) -> [SettingsService.Migration] {
        let mode = Setting<Int>("mode", in: far, default: 0)
        return [
            .rename("oldName", in: far, to: Self.name) { (old: String) in old + "!" },
            .version("one") { t in
                t.set(mode, to: 2)
                t[Self.count] += 1
            },
        ]
    }

    private func stores(_ process: SimulatedProcess, _ files: Int) throws -> [PropertyListStore] {
        try Self.paths.prefix(files).map {
            try PropertyListStore(path: $0, fileSystem: process, writingDelay: .seconds(86_400))
        }
    }

    private func disk(_ files: Int) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        for path in ["/home", "/home/app"] { try disk.makeDirectory(path) }
        for path in Self.paths.prefix(files) { try disk.write(Data(xml("").utf8), to: path) }
        let process = disk.process()
        let stores = try stores(process, files)
        let far = stores[files - 1]
        try far.set(key("oldName"), to: Data("\"ann\"".utf8))
        try far.set(key("mode"), to: Data("1".utf8))
        for store in stores { try store.bringUpToDate() }
        process.kill()
        disk.synchronizeAll()
        return disk
    }

    private func migrate(_ process: SimulatedProcess, _ files: Int) throws {
        let stores = try stores(process, files)
        let service = SettingsService(
            stores: [.defaults: stores[0], .shared: stores[files - 1]], diagnosticSink: .init { _ in })
        try service.migrate(steps(files == 1 ? .defaults : .shared))
        for store in stores { try store.bringUpToDate() }
    }

    /// The values without the ledger.
    private func values(_ disk: SimulatedDisk, _ files: Int) throws -> Values {
        let stores = try stores(disk.process(), files)
        var values: Values = [:]
        for store in stores { values.merge(store.values) { first, _ in first } }
        return values.filter { $0.key != SettingsService.migrationLedger }
    }

    private let old: Values = ["oldName": Data("\"ann\"".utf8), "mode": Data("1".utf8)]
    private let new: Values = ["name": Data("\"ann!\"".utf8), "mode": Data("2".utf8), "count": Data("1".utf8)]

    enum End: CaseIterable, Sendable { case before, after, within, power, secondPower }

    @Test(
        "A process that dies at any call, or a power failure, leaves the old state or the new, of two files after the next call",
        arguments: End.allCases, [1, 2])
    func ends(end: End, files: Int) throws {
        let seed = UInt64.random(in: 0...1 << 40)
        var generator = SeededGenerator(seed: seed)
        var (number, isDead, halves) = (0, true, 0)
        while isDead {
            let comment: Comment = "call \(number), seed \(seed)"
            let disk = try disk(files)
            let process = disk.process()
            switch end {
            case .before, .power, .secondPower: process.set(.death(number))
            case .after: process.set(.deathAfter(number))
            case .within: process.set(.partialDeath(number))
            }
            _ = try? migrate(process, files)
            isDead = process.isDead
            if end == .secondPower {
                // The next one goes on with it, and the power fails while it does.
                let next = disk.process()
                next.set(.death(Int.random(in: 20...100, using: &generator)))
                _ = try? migrate(next, files)
            }
            if end == .power || end == .secondPower {
                disk.powerFailure(seed: generator.next())
            }
            let found = try values(disk, files)
            if found != old && found != new {
                halves += 1
                #expect(files == 2, comment)
                #expect(found["oldName"] ?? found["name"] != nil && found["mode"] != nil, comment)
            }
            try migrate(disk.process(), files)
            #expect(try values(disk, files) == new, comment)
            number += 1
        }
        #expect(number > 20)
        #expect((halves > 0) == (files == 2), "nothing was ever in the middle: \(number) calls, seed \(seed)")
    }
}
