import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("Edits of an open file by other programs")
struct OutsideEditTests {
    // The watch may notice an edit before `synchronize` does. It then calls listeners, and reports problems, in its own thread;
    // therefore what they receive is waited for.

    private static let a = Setting<Int>("a", in: .defaults, default: 0)
    private static let b = Setting<String>("b", in: .defaults, default: "")

    struct Opened {
        let path: String
        let store: PropertyListStore
        let service: SettingsService
        let problems: Recorder<SettingsError>
        let log = Recorder<String>()

        init(in directory: String) throws {
            path = directory + "/Settings.plist"
            try write(xml("<key>a</key><integer>1</integer><key>b</key><string>one</string>"), to: path)
            store = try open(path)
            (service, problems) = SettingsService.over(store)
        }

        func listen() -> [SettingsService.Subscription] {
            [
                service.observe(OutsideEditTests.a) { [log] in
                    log.append("a: \($0.oldValue) to \($0.newValue), \($0.origin)")
                },
                service.observe(OutsideEditTests.b) { [log] in
                    log.append("b: \($0.oldValue) to \($0.newValue), \($0.origin)")
                },
            ]
        }
    }

    @Test("An edit is taken over at synchronize, and only changed values are published", arguments: [true, false])
    func edit(isByRename: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let opened = try Opened(in: directory)
            let subscriptions = opened.listen()
            let edited = Data(xml("<key>a</key><integer>1</integer><key>b</key><string>two</string>").utf8)
            try edited.write(to: URL(fileURLWithPath: opened.path), options: isByRename ? .atomic : [])
            try opened.service.bringUpToDate()
            #expect(opened.service.get(Self.b) == "two")
            #expect(try await eventually { !opened.log.all.isEmpty })
            #expect(opened.log.all == ["b: one to two, external"])
            #expect(opened.problems.all.isEmpty)
            #expect(try bytes(of: opened.path) == edited)
            withExtendedLifetime(subscriptions) {}
        }
    }

    @Test("A key that the edit removes reads as its default")
    func removal() async throws {
        try await withTemporaryDirectory { directory in
            let opened = try Opened(in: directory)
            let subscriptions = opened.listen()
            try write(xml("<key>b</key><string>one</string><key>c</key><true/>"), to: opened.path)
            try opened.service.bringUpToDate()
            #expect(try await eventually { !opened.log.all.isEmpty })
            #expect(opened.log.all == ["a: 1 to 0, external"])
            #expect(opened.service.keys(in: .defaults) == ["b", "c"])
            withExtendedLifetime(subscriptions) {}
        }
    }

    @Test("Changes that are not in the file yet win for their keys; the edit wins for the others")
    func ownChangesWin() throws {
        try withTemporaryDirectory { directory in
            let opened = try Opened(in: directory)
            opened.service.set(Self.a, to: 5)
            try write(xml("<key>a</key><integer>7</integer><key>b</key><string>two</string>"), to: opened.path)
            try opened.service.bringUpToDate()
            #expect(opened.service.get(Self.a) == 5)
            #expect(opened.service.get(Self.b) == "two")
            #expect(try members(of: opened.path) == ["a": .integer(5), "b": .string("two")])
        }
    }

    @Test("A value that was reset stays removed, although the edit still has it")
    func ownRemovalWins() throws {
        try withTemporaryDirectory { directory in
            let opened = try Opened(in: directory)
            opened.service.reset(Self.a)
            try write(xml("<key>a</key><integer>7</integer><key>b</key><string>two</string>"), to: opened.path)
            try opened.service.bringUpToDate()
            #expect(!opened.service.isSet(Self.a))
            #expect(try members(of: opened.path) == ["b": .string("two")])
        }
    }

    @Test("An edit of a key that was saved before wins")
    func editAfterSave() throws {
        try withTemporaryDirectory { directory in
            let opened = try Opened(in: directory)
            opened.service.set(Self.a, to: 5)
            try opened.service.bringUpToDate()
            try write(xml("<key>a</key><integer>77</integer>"), to: opened.path)
            try opened.service.bringUpToDate()
            #expect(opened.service.get(Self.a) == 77)
        }
    }

    @Test(
        "An edit of a large file that lacks changes is brought together with them soon, although it would lag for long",
        arguments: [true, false])
    func editWhileLagging(isByRename: Bool) async throws {
        try await withPropertyList { path in
            // Twenty quiet seconds are too short for this one.
            let ballast = "<key>ballast</key><string>\(String(repeating: "x", count: 2 << 20))</string>"
            try write(xml("\(ballast)<key>a</key><integer>1</integer><key>b</key><string>one</string>"), to: path)
            let store = try open(path)
            let (service, problems) = SettingsService.over(store)
            service.set(Self.a, to: 5)
            // A change that the editor makes later does not overrule one that it could not see.
            let edited = xml("\(ballast)<key>a</key><integer>7</integer><key>b</key><string>two</string>")
            try Data(edited.utf8).write(to: URL(fileURLWithPath: path), options: isByRename ? .atomic : [])
            service.set(Setting<Int>("c", in: .defaults, default: 0), to: 6)
            #expect(
                try await eventually(within: 15) {
                    let found = try members(of: path)
                    return found["a"] == .integer(5) && found["b"] == .string("two") && found["c"] == .integer(6)
                })
            #expect(service.get(Self.a) == 5 && service.get(Self.b) == "two")
            #expect(problems.all.isEmpty)
        }
    }

    @Test("Changes that a killed process has not printed win over an edit made afterwards, for their own keys alone")
    func editAfterKill() async throws {
        try await withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer><key>b</key><string>one</string>"), to: path)
            let worker = try Worker("set-and-die", path, "a", "5")
            await worker.status()
            #expect(try members(of: path)["a"] == .integer(1))
            try write(xml("<key>a</key><integer>7</integer><key>b</key><string>two</string>"), to: path)
            let service = SettingsService.over(try open(path)).service
            #expect(service.get(Self.a) == 5 && service.get(Self.b) == "two")
            try service.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(5), "b": .string("two")])
        }
    }

    @Test("An edit that the background write finds is delivered to listeners as well")
    func backgroundDelivery() async throws {
        try await withTemporaryDirectory { directory in
            let opened = try Opened(in: directory)
            let subscriptions = opened.listen()
            try write(xml("<key>a</key><integer>1</integer><key>b</key><string>two</string>"), to: opened.path)
            opened.service.set(Self.a, to: 5)
            #expect(try await eventually { try members(of: opened.path)["a"] == .integer(5) })
            #expect(try await eventually { opened.log.all.contains("b: one to two, external") })
            withExtendedLifetime(subscriptions) {}
        }
    }

    @Test("An edit that makes the file unreadable changes nothing in memory, is reported, and is kept aside")
    func damagingEdit() async throws {
        try await withTemporaryDirectory { directory in
            let opened = try Opened(in: directory)
            let subscriptions = opened.listen()
            try write("<plist><dict><key>a</key>", to: opened.path)
            try opened.service.bringUpToDate()
            #expect(try await eventually { !opened.problems.all.isEmpty })
            #expect(opened.problems.codes == [.damaged])
            #expect(opened.service.get(Self.a) == 1)
            #expect(opened.log.all.isEmpty)
            #expect(try bytes(of: opened.path) == Data("<plist><dict><key>a</key>".utf8))
            opened.service.set(Self.a, to: 2)
            try opened.service.bringUpToDate()
            #expect(try members(of: opened.path) == ["a": .integer(2), "b": .string("one")])
            let aside = try #require(try names(in: directory).first { $0.contains(".damaged-") })
            #expect(try bytes(of: directory + "/" + aside) == Data("<plist><dict><key>a</key>".utf8))
            #expect(opened.problems.codes == [.damaged])
            withExtendedLifetime(subscriptions) {}
        }
    }

    @Test("An edit that is mended by another is taken over, and nothing is kept aside")
    func mendedEdit() throws {
        try withTemporaryDirectory { directory in
            let opened = try Opened(in: directory)
            try write("", to: opened.path)
            try opened.service.bringUpToDate()
            try write(xml("<key>a</key><integer>3</integer>"), to: opened.path)
            try opened.service.bringUpToDate()
            #expect(opened.service.get(Self.a) == 3)
            opened.service.set(Self.b, to: "x")
            try opened.service.bringUpToDate()
            #expect(try names(in: directory) == ["Settings.plist"])
        }
    }

    @Test("A diagnostic sink may synchronize and set when it receives damage, without deadlock")
    func sinkSynchronizes() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            await #expect(processExitsWith: .success) { [path = path as String] in
                // The alarm ends a process that hangs.
                alarm(20)
                let store = try PropertyListStore(url: URL(fileURLWithPath: path))
                let isDone = DispatchSemaphore(value: 0)
                let service = SettingsService(
                    stores: [.defaults: store],
                    diagnosticSink: .init { _ in
                        #expect(throws: Never.self) {
                            try store.set(.init("told", scope: .defaults), to: Data("true".utf8))
                            try store.bringUpToDate()
                        }
                        isDone.signal()
                    })
                try store.set(.init("a", scope: .defaults), to: Data("1".utf8))
                try store.bringUpToDate()
                try Data("no property list".utf8).write(to: URL(fileURLWithPath: path))
                try store.bringUpToDate()
                // The watch may have noticed the damage first.
                isDone.wait()
                let told = store.get(.init("told", scope: .defaults))
                withExtendedLifetime(service) { Foundation.exit(told == nil ? 1 : 0) }
            }
        }
    }
}
