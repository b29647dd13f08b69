import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import SettingsTestKit
import Testing

@Suite("A program ends at any moment", .ownThreads)
struct CrashTests {
    enum End: Sendable {
        case before, within, after

        /// Dying after a call leaves what dying before the next call leaves.
        static let all: [End] = Rounds.choose([.before, .within], full: [.before, .within, .after])

        func fault(_ number: Int) -> SimulatedProcess.Fault {
            switch self {
            case .before: .death(number)
            case .after: .deathAfter(number)
            case .within: .partialDeath(number)
            }
        }
    }

    /// Runs the usual steps in a process that may die.
    private func run(
        _ start: Start, until fault: SimulatedProcess.Fault, _ isDead: inout Bool
    ) throws -> (disk: SimulatedDisk, course: Course) {
        let (disk, values) = try start.prepare()
        var course = Course(values)
        let process = disk.process()
        process.set(fault)
        do {
            let store = try quietStore(process)
            _ = course.run(Step.usual, on: store)
        } catch let error as SettingsError {
            #expect(error.code == .storeUnavailable)
        }
        isDead = process.isDead
        return (disk, course)
    }

    @Test(
        "What was acknowledged is there when the process dies, before, after or in the middle of any call",
        arguments: Start.allCases, End.all)
    func death(start: Start, end: End) throws {
        var number = 0
        var isDead = true
        while isDead {
            let comment: Comment = "call \(number)"
            let (disk, course) = try run(start, until: end.fault(number), &isDead)
            if start != .damagedFile { #expect(throws: Never.self, comment) { _ = try disk.storedValues() } }
            let found = try disk.findValues(comment)
            #expect(found == course.values || found == course.maybe, comment)
            number += 1
        }
        #expect(number > 40)
    }

    @Test(
        "What was synchronized is there when the power fails at any call, and each batch whole or not at all",
        arguments: Start.allCases, Rounds.choose([1], full: [1, 2, 3] as [UInt64]))
    func powerFailure(start: Start, seed: UInt64) throws {
        var number = 0
        var isDead = true
        while isDead {
            let comment: Comment = "call \(number), seed \(seed)"
            let (disk, course) = try run(start, until: .death(number), &isDead)
            disk.powerFailure(seed: seed &* 1_000 &+ UInt64(number))
            let found = try disk.findValues(comment)
            #expect(course.isPossibleAfterPowerFailure(found), comment)
            // And once more: what was recovered is as good as anything else.
            disk.powerFailure(seed: seed)
            let again = try quietStore(disk.process()).values
            #expect(again == found.merging(["afterwards": Data("1".utf8)]) { $1 }, comment)
            number += 1
        }
        #expect(number > 40)
    }

    @Test("When the process dies between the new property list and the new journal, an edit made then stays")
    func editAfterDeath() throws {
        let (disk, _) = try Start.foldedJournal.prepare()
        let text = String(decoding: try #require(disk.contents(of: Start.path)), as: UTF8.self)
        let edited = text.replacing("<integer>1</integer>", with: "<integer>5</integer>")
        try #require(edited != text)
        try disk.write(Data(edited.utf8), to: Start.path)
        #expect(try disk.findValues("")["kept"] == Data("5".utf8))
    }
}
