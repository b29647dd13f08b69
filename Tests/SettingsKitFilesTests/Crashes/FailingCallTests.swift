import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Synchronization
import Testing

@Suite("Calls of the file system fail", .ownThreads)
struct FailingCallTests {
    @Test(
        "A call that fails once is thrown without a change, or has no effect; afterwards everything works, and no file is left",
        arguments: Start.allCases, Mishap.failures)
    func once(start: Start, mishap: Mishap) throws {
        let count = try mishap.atEveryCall {
            let (disk, values) = try start.prepare()
            return (disk, (disk: disk, values: values, store: PropertyListStore?.none))
        } work: { world, process, comment in
            func expectCause(_ error: any Error) {
                // What is thrown says what has happened.
                let cause = (error as? SettingsError)?.underlying ?? error
                #expect((cause as? SystemError).map { Mishap.failure($0.number) } == mishap, comment)
            }
            let store: PropertyListStore
            do {
                store = try quietStore(process)
            } catch let error as SettingsError {
                #expect(error.code == .storeUnavailable, comment)
                expectCause(error)
                store = try quietStore(process)
            }
            world.store = store
            for step in Step.usual {
                let next = step.applied(to: world.values)
                do {
                    try step.perform(on: store)
                    world.values = next
                } catch {
                    expectCause(error)
                    switch step {
                    case .synchronize, .bringUpToDate:
                        #expect((error as? SettingsError)?.code == .notSaved, comment)
                    case .set, .batch, .removeAll: break
                    }
                }
                #expect(store.values == world.values, comment)
                // Another process has the same.
                #expect(try quietStore(world.disk.process()).values == world.values, comment)
            }
        } check: { world, comment in
            try #require(world.store, comment).bringUpToDate()
            #expect(try world.disk.storedValues() == world.values, comment)
            guard start == .othersFile else { return }
            let expected: Set = [
                "Settings.plist", "Settings.plist-log", "Settings.plist-lock",
            ]
            #expect(Set(world.disk.names(in: Start.directory)) == expected, comment)
        }
        #expect(count > 40)
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

    @Test("An edit that can never be flushed is printed anew, and survives a power failure")
    func editWithoutFlush() throws {
        let (disk, values) = try Start.othersFile.prepare()
        let process = disk.process()
        let store = try quietStore(process)
        try store.set(key("b"), to: Data("2".utf8))
        try store.bringUpToDate()
        let edited = Data(xml("<key>a</key><integer>7</integer><key>b</key><integer>2</integer>").utf8)
        try disk.replace(Start.path, with: edited)
        let opened = Mutex("", .leaf)
        process.beforeEachCall { name, path in
            if name == "open" { opened.withLock { $0 = path } }
            // The list that was opened to be read, and not a new one.
            if name == "fsync", path == Start.path, opened.withLock({ $0 }) == path {
                process.set(.once(0, errno: EIO))
            }
        }
        try store.bringUpToDate()
        process.beforeEachCall(nil)
        #expect(store.values == ["a": Data("7".utf8), "b": Data("2".utf8)] && values != store.values)
        #expect(disk.contents(of: Start.path) != edited)
        disk.powerFailure(seed: 1)
        #expect(try quietStore(disk.process()).values == ["a": Data("7".utf8), "b": Data("2".utf8)])
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
        #expect(throws: SettingsError.self) { try service.bringUpToDate() }
        #expect(problems.all.isEmpty)
        process.kill()
        disk.capacity = nil
        let again = SettingsService.over(
            try PropertyListStore(path: "/Settings.plist", fileSystem: disk.process(), writingDelay: .seconds(86_400)))
        #expect(again.problems.all.isEmpty)
        #expect(Set(again.service.keys(in: .defaults)) == Set(accepted.map { "text \($0)" }))
        try again.service.save(Setting<Int>("more", in: .defaults, default: 0), to: 1)
        try again.service.bringUpToDate()
        #expect(try disk.storedValues(at: "/Settings.plist")?.count == accepted.count + 1)
    }
}
