import Foundation
import SettingsKitCore
import Synchronization
import Testing

@testable import SettingsKitFiles

@Suite("Files are damaged", .ownThreads)
struct DamageTests {
    private static let log = Start.path + "-log"

    /// A disk with a property list and a log of changes that are not in it.
    private static func disk() throws -> (disk: SimulatedDisk, log: Data, states: [Values]) {
        let (disk, values) = try Start.othersFile.prepare()
        var states = [values]
        let process = disk.process()
        let store = try quietStore(process)
        for step in [Step.set("a", "1"), .batch(["b": "2", "c": "\"x\""]), .set("a", "true"), .set("old", nil)] {
            try step.perform(on: store)
            states.append(step.applied(to: states[states.count - 1]))
        }
        process.kill()
        return (disk, try #require(disk.contents(of: Self.log)), states)
    }

    @Test("A log cut at any byte yields its whole lines, and no damage is reported but of a first line that is cut")
    func cut() throws {
        let (_, log, states) = try Self.disk()
        var found: [Values] = []
        for length in 0...log.count {
            let (disk, _) = try Start.othersFile.prepare()
            try disk.write(log.prefix(length), to: Self.log)
            let process = disk.process()
            let store = try quietStore(process)
            let (service, problems) = SettingsService.over(store)
            let values = store.values
            if values != found.last { found.append(values) }
            // The next change cuts off what is not whole, and is found behind it.
            try service.save(Setting<Int>("next", in: .defaults, default: 0), to: 7)
            let hasBeginning = log.prefix(length).contains(UInt8(ascii: "\n"))
            #expect(problems.codes == (hasBeginning ? [] : [.damaged]), "\(length) bytes")
            process.kill()
            let next = try quietStore(disk.process()).values
            #expect(next == values.merging(["next": Data("7".utf8)]) { $1 }, "\(length) bytes")
        }
        #expect(found == states)
    }

    @Test(
        "A log that is emptied or damaged in place while it is used takes no value away that the list has",
        arguments: [0, 100])
    func inPlace(length: Int) throws {
        let (disk, values) = try Start.othersFile.prepare()
        let store = try quietStore(disk.process())
        try store.set(key("a"), to: Data("1".utf8))
        try store.bringUpToDate()
        let (service, problems) = SettingsService.over(store)
        let heard = Mutex<[Int]>([], .leaf)
        let token = service.observe(Setting<Int>("a", in: .defaults, default: 0)) { change in
            heard.withLock { $0.append(change.newValue) }
        }
        defer { token.cancel() }
        let log = try #require(disk.contents(of: Self.log))
        try disk.write(log.prefix(length) + (length == 0 ? Data() : Data("{}\n".utf8)), to: Self.log)
        try service.bringUpToDate()
        #expect(heard.withLock { $0 }.isEmpty)
        #expect(problems.codes == [.damaged])
        #expect(store.values == values.merging(["a": Data("1".utf8)]) { $1 })
        #expect(try quietStore(disk.process()).values == store.values)
    }

    @Test(
        "A flipped bit in a log loses one line at most; damage is reported, and the log is kept aside"
    )
    func flipped() throws {
        let (_, log, states) = try Self.disk()
        // Whichever line is missing.
        var possible: [Values] = [states[4]]
        let steps: [Step] = [.set("a", "1"), .batch(["b": "2", "c": "\"x\""]), .set("a", "true"), .set("old", nil)]
        for missing in steps.indices {
            possible.append(steps.indices.filter { $0 != missing }.reduce(states[0]) { steps[$1].applied(to: $0) })
        }
        for bit in stride(from: 0, to: log.count * 8, by: Rounds.choose(7, full: 1)) where log[bit / 8] != 10 {
            var bytes = log
            bytes[bit / 8] ^= 1 << (bit % 8)
            let (disk, _) = try Start.othersFile.prepare()
            try disk.write(bytes, to: Self.log)
            let store: PropertyListStore
            do {
                store = try quietStore(disk.process())
            } catch {
                // A damaged line cannot be taken for one of a newer version.
                Issue.record("bit \(bit): \(error)")
                continue
            }
            let (service, problems) = SettingsService.over(store)
            let values = store.values
            #expect(possible.contains(values), "bit \(bit)")
            try service.save(Setting<Int>("next", in: .defaults, default: 0), to: 7)
            try service.bringUpToDate()
            #expect(problems.codes == [.damaged], "bit \(bit)")
            let aside = disk.names(in: Start.directory).filter { $0.contains(".damaged-") }
            #expect(aside.count == 1 && aside[0].hasPrefix("Settings.plist-log.damaged-"), "bit \(bit)")
            let next = values.merging(["next": Data("7".utf8)]) { $1 }
            #expect(try disk.storedValues() == next, "bit \(bit)")
            #expect(try quietStore(disk.process()).values == next, "bit \(bit)")
        }
    }
}
