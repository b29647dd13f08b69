import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

@Suite("The file cannot be written")
struct UnwritableTests {
    private static let setting = Setting<Int>("a", in: .defaults, default: 0)
    /// What the property list needs to be replaced, and appending to the log does not.
    private static let writing: Set<FaultyFileSystem.Call> = [.rename]

    @Test(
        "A failed write keeps values in the log, is reported once, and is retried until there is room",
        arguments: [ENOSPC, EROFS, EACCES])
    func background(errno: Int32) async throws {
        try await withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem)
            let (service, problems) = SettingsService.over(store)
            service.set(Self.setting, to: 0)
            try service.bringUpToDate()
            fileSystem.set(.calls(Self.writing, errno: errno))
            service.set(Self.setting, to: 1)
            #expect(try await eventually { problems.codes == [.notSaved] })
            #expect(problems.all.first?.description.contains(path) == true)
            let attempts = { fileSystem.calls.filter { $0 == .create }.count }
            func setInVain(_ value: Int) async throws {
                let before = attempts()
                service.set(Self.setting, to: value)
                #expect(try await eventually { attempts() > before })
            }
            for value in 2...4 { try await setInVain(value) }
            #expect(service.get(Self.setting) == 4)
            #expect(problems.codes == [.notSaved])
            // Another store finds it in the log.
            #expect(try open(path).get(key("a")) == Data("4".utf8))
            try await setInVain(5)
            // Nothing is set any more: it is the retry that must succeed.
            fileSystem.set(.none)
            // A second, unless the machine is so busy that many attempts have failed until now.
            #expect(
                try await eventually(within: 150) {
                    try members(of: path) == ["a": .integer(5)]
                })
        }
    }

    @Test("A new failure after a successful write is reported again")
    func toldAgain() async throws {
        try await withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let (service, problems) = SettingsService.over(
                try PropertyListStore(path: path, fileSystem: fileSystem))
            service.set(Self.setting, to: 100)
            try service.bringUpToDate()
            for round in 1...2 {
                fileSystem.set(.calls(Self.writing, errno: ENOSPC))
                service.set(Self.setting, to: round)
                #expect(try await eventually { problems.codes.count == round })
                fileSystem.set(.none)
                try service.bringUpToDate()
                service.set(Self.setting, to: -round)
                #expect(try await eventually { try members(of: path) == ["a": .integer(Int64(-round))] })
                try service.bringUpToDate()
            }
        }
    }

    @Test("Synchronize throws each time, and saves everything as soon as that is possible")
    func synchronize() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let (service, _) = SettingsService.over(try PropertyListStore(path: path, fileSystem: fileSystem))
            service.set(Self.setting, to: 1)
            fileSystem.set(.calls(Self.writing, errno: ENOSPC))
            for _ in 1...2 {
                let error = #expect(throws: SettingsError.self) { try service.bringUpToDate() }
                #expect(error?.code == .notSaved)
                #expect((error?.underlying as? SystemError)?.number == ENOSPC)
            }
            fileSystem.set(.none)
            try service.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1)])
        }
    }

    @Test("A parent that is a file is reported, and crashes nothing")
    func parentIsAFile() throws {
        try withTemporaryDirectory { directory in
            try write("x", to: directory + "/file")
            let store = try open(directory + "/file/sub/Settings.plist")
            let error = #expect(throws: SystemError.self) { try store.set(key("a"), to: Data("1".utf8)) }
            #expect(error?.number == ENOTDIR)
            #expect(store.get(key("a")) == nil)
            #expect(try bytes(of: directory + "/file") == Data("x".utf8))
        }
    }
}
