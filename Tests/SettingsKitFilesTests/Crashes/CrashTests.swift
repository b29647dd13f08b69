import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("A program ends at any moment", .ownThreads)
struct CrashTests {
    /// Has a process do the usual steps until it dies, and checks what is left.
    private func run(
        _ start: Start, _ mishap: Mishap, check: (SimulatedDisk, Course, Comment) throws -> Void
    ) throws {
        let count = try mishap.atEveryCall {
            let (disk, values) = try start.prepare()
            return (disk, (disk: disk, course: Course(values)))
        } work: { world, process, comment in
            do {
                let store = try quietStore(process)
                _ = world.course.run(Step.usual, on: store)
            } catch let error as SettingsError {
                #expect(error.code == .storeUnavailable, comment)
            }
        } check: { world, comment in
            try check(world.disk, world.course, comment)
        }
        #expect(count > 40)
    }

    @Test(
        "What was acknowledged is there when the process dies, before, after or in the middle of any call",
        arguments: Start.allCases, Mishap.deaths)
    func death(start: Start, mishap: Mishap) throws {
        try run(start, mishap) { disk, course, comment in
            if start != .damagedFile { #expect(throws: Never.self, comment) { _ = try disk.storedValues() } }
            let found = try disk.findValues(comment)
            #expect(found == course.values || found == course.maybe, comment)
        }
    }

    @Test(
        "What was synchronized is there when the power fails at any call, and each batch whole or not at all",
        arguments: Start.allCases, Mishap.powerFailures)
    func powerFailure(start: Start, mishap: Mishap) throws {
        try run(start, mishap) { disk, course, comment in
            let found = try disk.findValues(comment)
            #expect(course.isPossibleAfterPowerFailure(found), comment)
            // And once more: what was recovered is as good as anything else.
            disk.powerFailure(seed: 1)
            let again = try quietStore(disk.process()).values
            #expect(again == found.merging(["afterwards": Data("1".utf8)]) { $1 }, comment)
        }
    }
}
