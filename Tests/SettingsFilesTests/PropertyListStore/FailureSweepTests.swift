import Foundation
import SettingsCore
import SettingsFiles
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One after the other, each call of a workload fails; whatever happens, nothing that was synchronised is lost.
@Suite("The file system fails")
struct FailureSweepTests {
    /// What is at the path before the store is opened.
    enum Start: CaseIterable, Sendable {
        case nothing, file, link, damagedFile

        func prepare(in directory: String) throws -> String {
            switch self {
            case .nothing: return directory + "/new/directory/Settings.plist"
            case .file:
                try write(xml("<key>old</key><string>x</string>"), to: directory + "/Settings.plist")
            case .link:
                try write(xml("<key>old</key><string>x</string>"), to: directory + "/Target.plist")
                try FileManager.default.createSymbolicLink(
                    atPath: directory + "/Settings.plist", withDestinationPath: "Target.plist")
            case .damagedFile:
                try write(xml("<key>old</key><string>x</string><oops>"), to: directory + "/Settings.plist")
            }
            return directory + "/Settings.plist"
        }

        var members: [String: PropertyListValue] { self == .nothing ? [:] : ["old": .string("x")] }
    }

    /// How far the workload came.
    struct Course {
        var states: [[String: PropertyListValue]]
        /// The index of the state that `synchronize` has promised.
        var promised = 0
        var thrown: [SettingsError] = []
    }

    static func attempt(_ course: inout Course, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch let error as SettingsError {
            course.thrown.append(error)
        } catch {
            Issue.record("not a SettingsError: \(error)")
        }
        return false
    }

    /// A store that writes only when it is told to, so that it is known which call is which.
    static func openQuietly(_ path: String, _ fileSystem: any FileSystem) throws -> PropertyListStore {
        try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
    }

    /// Sets three keys, synchronises, sets two more and removes one, synchronises.
    static func run(_ store: PropertyListStore, course: inout Course) {
        var state = course.states[0]
        for (index, name) in ["a", "b", "c"].enumerated() {
            store.set(key(name), to: Data("\(index)".utf8))
            state[name] = .integer(Int64(index))
        }
        course.states.append(state)
        if attempt(&course, { try store.synchronize() }) { course.promised = 1 }
        store.set(key("a"), to: Data(#""again""#.utf8))
        store.set(key("d"), to: Data("true".utf8))
        store.set(key("b"), to: nil)
        state["a"] = .string("again")
        state["d"] = .boolean(true)
        state["b"] = nil
        course.states.append(state)
        if attempt(&course, { try store.synchronize() }) { course.promised = 2 }
    }

    /// What stands in the file, as a store on the plain file system sees it.
    static func found(at path: String, start: Start) throws -> [String: PropertyListValue] {
        guard FileManager.default.fileExists(atPath: path) else { return [:] }
        let bytes = try bytes(of: path)
        if start == .damagedFile, String(decoding: bytes, as: UTF8.self).contains("<oops>") { return start.members }
        return try members(of: path)
    }

    /// Which of the calls look for what dead processes have left: right after the first replacement, whose last call is
    /// the one for the new file's status. When one of these fails, what was to be saved is saved.
    static func cleaning(in calls: [FaultyFileSystem.Call], start: Start) -> Range<Int> {
        guard let rename = calls.firstIndex(of: .rename) else { return 0..<0 }
        return rename + 3..<rename + (start == .link ? 8 : 6)
    }

    @Test(
        "any call may fail once: the error is told, nothing synchronised is lost, and the next synchronize saves all",
        arguments: [ENOSPC, EIO, EACCES, EROFS], Start.allCases)
    func failsOnce(errno: Int32, start: Start) throws {
        var index = 0
        var hasFired = true
        while hasFired {
            try withTemporaryDirectory { directory in
                let path = try start.prepare(in: directory)
                let fileSystem = FaultyFileSystem()
                fileSystem.set(.once(index, errno: errno))
                var course = Course(states: [start.members])
                var opened: PropertyListStore?
                if !Self.attempt(&course, { opened = try Self.openQuietly(path, fileSystem) }) {
                    #expect(course.thrown.map(\.code) == [.storeUnavailable])
                    #expect(try Self.found(at: path, start: start) == start.members)
                    opened = try Self.openQuietly(path, fileSystem)
                }
                let store = try #require(opened)
                let openErrors = course.thrown.count
                let (service, problems) = SettingsService.over(store)
                Self.run(store, course: &course)

                let comment: Comment = "call \(index) (\(fileSystem.calls.dropFirst(index).first?.rawValue ?? "none"))"
                #expect(course.thrown.dropFirst(openErrors).allSatisfy { $0.code == .notSaved }, comment)
                hasFired = fileSystem.calls.count > index
                let isHarmless = Self.cleaning(in: fileSystem.calls, start: start).contains(index)
                let told = course.thrown.count + problems.codes.filter { $0 == .notSaved }.count
                #expect(told > 0 || !hasFired || isHarmless, comment)
                if let error = course.thrown.first {
                    #expect((error.underlying as? SystemError)?.number == errno, comment)
                    #expect(error.description.contains(path), comment)
                }
                let possible = Array(course.states[course.promised...])
                #expect(possible.contains(try Self.found(at: path, start: start)), comment)

                fileSystem.set(.none)
                try store.synchronize()
                #expect(try members(of: path) == course.states[2], comment)
                let folder = try names(in: URL(fileURLWithPath: path).deletingLastPathComponent().path)
                #expect(!folder.contains { $0.hasSuffix(".tmp") }, comment)
                #expect(folder.filter { $0.contains(".damaged-") }.count >= (start == .damagedFile ? 1 : 0), comment)
                withExtendedLifetime(service) {}
            }
            index += 1
        }
        #expect(index > 10)
    }

    @Test(
        "the process may die at any call: the file is whole, and has what synchronize promised",
        arguments: Start.allCases)
    func dies(start: Start) throws {
        var index = 0
        var hasFired = true
        while hasFired {
            try withTemporaryDirectory { directory in
                let path = try start.prepare(in: directory)
                var course = Course(states: [start.members])
                do {
                    let fileSystem = FaultyFileSystem()
                    fileSystem.set(.death(index))
                    var store: PropertyListStore?
                    if Self.attempt(&course, { store = try Self.openQuietly(path, fileSystem) }) {
                        Self.run(try #require(store), course: &course)
                    }
                    hasFired = fileSystem.calls.count > index
                    store = nil
                }
                let possible = Array(course.states[course.promised...])
                #expect(possible.contains(try Self.found(at: path, start: start)), "death at call \(index)")
                let reopened = try open(path)
                reopened.set(key("after"), to: Data("1".utf8))
                try reopened.synchronize()
                var expected = try #require(possible.first { try Self.found(at: path, start: start)["c"] == $0["c"] })
                expected["after"] = .integer(1)
                #expect(try members(of: path)["after"] == .integer(1))
                #expect(try members(of: path)["old"] == expected["old"])
            }
            index += 1
        }
        #expect(index > 10)
    }

    @Test("writes and reads that take only a part are carried on with")
    func shortCalls() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let fileSystem = FaultyFileSystem()
            fileSystem.beShort()
            let store = try Self.openQuietly(path, fileSystem)
            let text = Data(#""\#(String(repeating: "long ", count: 200))""#.utf8)
            store.set(key("a"), to: text)
            try store.synchronize()
            #expect(fileSystem.calls.filter { $0 == .write }.count > 100)
            #expect(try Self.openQuietly(path, fileSystem).get(key("a")) == text)
        }
    }
}
