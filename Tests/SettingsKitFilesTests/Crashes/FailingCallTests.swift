import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import SettingsTestKit
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Calls of the file system fail", .ownThreads)
struct FailingCallTests {
    @Test(
        "A call that fails once is thrown without a change, or has no effect; afterwards everything works",
        arguments: Start.allCases, Rounds.choose([ENOSPC], full: [ENOSPC, EIO, EACCES, EROFS, EMFILE]))
    func once(start: Start, errno: Int32) throws {
        var number = 0
        var hasFired = true
        while hasFired {
            let comment: Comment = "call \(number)"
            var (disk, values) = try start.prepare()
            let process = disk.process()
            process.set(.once(number, errno: errno))
            var store: PropertyListStore
            do {
                store = try quietStore(process)
            } catch let error as SettingsError {
                #expect(error.code == .storeUnavailable, comment)
                #expect((error.underlying as? SystemError)?.number == errno, comment)
                store = try quietStore(process)
            }
            for step in Step.usual {
                let next = step.applied(to: values)
                do {
                    try step.perform(on: store)
                    values = next
                } catch {
                    // What is thrown says what has happened.
                    let cause = (error as? SettingsError)?.underlying ?? error
                    #expect((cause as? SystemError)?.number == errno, comment)
                    if case .synchronize = step { #expect((error as? SettingsError)?.code == .notSaved, comment) }
                }
                #expect(store.values == values, comment)
                // Another process has the same.
                #expect(try quietStore(disk.process()).values == values, comment)
            }
            hasFired = process.callCount > number
            process.set(.none)
            try store.synchronize()
            #expect(try disk.storedValues() == values, comment)
            number += 1
        }
        #expect(number > 40)
    }

    @Test("Failing calls leave no files behind", arguments: [ENOSPC, EIO])
    func tidy(errno: Int32) throws {
        var number = 0
        var hasFired = true
        while hasFired {
            let (disk, _) = try Start.othersFile.prepare()
            let process = disk.process()
            let store = try quietStore(process)
            process.set(.once(number, errno: errno))
            for step in Step.usual {
                do { try step.perform(on: store) } catch {}
            }
            hasFired = process.callCount > number
            process.set(.none)
            try store.synchronize()
            let names = disk.names(in: Start.directory)
            let expected: Set = [
                "Settings.plist", "Settings.plist-journal", "Settings.plist-lock", "Settings.plist-previous",
            ]
            #expect(Set(names) == expected, "call \(number)")
            number += 1
        }
    }

    @Test("Calls that do only a part of their work are continued", arguments: Start.allCases)
    func short(start: Start) throws {
        let (disk, values) = try start.prepare()
        var course = Course(values)
        let process = disk.process()
        process.set(.short)
        let store = try quietStore(process)
        #expect(course.run(Step.usual, on: store) == nil)
        #expect(store.values == course.values)
        #expect(try disk.findValues("") == course.values)
    }

    @Test("A full disk refuses changes, hides no others, and takes them again when there is room")
    func fullDisk() throws {
        let disk = SimulatedDisk(capacity: 4_096)
        let process = disk.process()
        let (service, problems) = SettingsService.over(
            try PropertyListStore(path: "/Settings.plist", fileSystem: process, writingDelay: .seconds(86_400)))
        var accepted: [Int] = []
        for number in 0..<100 {
            let setting = Setting<String>("text \(number)", in: .defaults, default: "")
            do {
                try service.save(setting, to: String(repeating: "x", count: number % 2 == 0 ? 200 : 2))
                accepted.append(number)
            } catch SettingsError.Code.writeFailed {
                #expect(!service.isSet(setting))
            }
        }
        #expect(accepted.count > 10 && accepted.count < 100)
        #expect(throws: SettingsError.self) { try service.synchronize() }
        #expect(problems.all.isEmpty)
        process.kill()
        disk.capacity = nil
        let again = SettingsService.over(
            try PropertyListStore(path: "/Settings.plist", fileSystem: disk.process(), writingDelay: .seconds(86_400)))
        #expect(again.problems.all.isEmpty)
        #expect(Set(again.service.keys(in: .defaults)) == Set(accepted.map { "text \($0)" }))
        try again.service.save(Setting<Int>("more", in: .defaults, default: 0), to: 1)
        try again.service.synchronize()
        #expect(try disk.storedValues(at: "/Settings.plist")?.count == accepted.count + 1)
    }

    @Test("A failed fsync is thrown each time, and repaired only by writing the file again")
    func fsync() throws {
        let (disk, _) = try Start.othersFile.prepare()
        let process = disk.process()
        let store = try quietStore(process)
        try store.set(key("a"), to: Data("1".utf8))
        process.set(.none)
        var failures = 0
        for number in 0..<40 {
            process.set(.once(number, errno: EIO))
            do { try store.synchronize() } catch { failures += 1 }
            process.set(.none)
            try store.set(key("a"), to: Data("\(number)".utf8))
        }
        #expect(failures > 10)
        process.set(.none)
        try store.synchronize()
        for seed in 0..<20 as Range<UInt64> {
            let copy = try #require(disk.contents(of: Start.path))
            disk.powerFailure(seed: seed)
            #expect(disk.contents(of: Start.path) == copy)
            #expect(try quietStore(disk.process()).get(key("a")) == Data("39".utf8))
        }
    }
}
