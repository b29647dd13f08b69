import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("The last good state of a damaged property list", .ownThreads)
struct TheLastGoodStateOfADamagedPropertyListTests {
    /// What a person makes of the file by mistake.
    enum Mistake: CaseIterable, Sendable {
        case empty, zeros, cut, mistypedTag, otherFormat

        func applied(to file: Data) -> Data {
            let text = String(decoding: file, as: UTF8.self)
            switch self {
            case .empty: return Data()
            case .zeros: return Data(count: file.count)
            case .cut: return file.prefix(file.count / 2)
            case .mistypedTag: return Data(text.replacing("<key>b</key>", with: "<kye>b</key>").utf8)
            case .otherFormat: return Data("{ \"a\": 5 }".utf8)
            }
        }
    }

    private static let steps: [Step] = [
        .batch(["a": "1", "b": "\"two\"", "c": "true", "d": "[1,2]"]), .bringUpToDate, .set("a", "2"), .set("d", nil),
        .bringUpToDate, .set("e", "5"), .bringUpToDate, .set("f", "\"not folded\""),
    ]

    @Test(
        "The last good state of a damaged property list is found by a new process, with what the journal has",
        arguments: Mistake.allCases, [true, false])
    func isFoundByA(mistake: Mistake, isInPlace: Bool) throws {
        for count in 2...Self.steps.count {
            let disk = try emptyDisk()
            var course = Course([:])
            let process = disk.process()
            #expect(course.run(Array(Self.steps.prefix(count)), on: try quietStore(process)) == nil)
            process.kill()
            let damaged = mistake.applied(to: try #require(disk.contents(of: Start.path)))
            try isInPlace ? disk.write(damaged, to: Start.path) : disk.replace(Start.path, with: damaged)
            let (service, problems) = SettingsService.over(try quietStore(disk.process()))
            #expect(problems.codes == [.damaged])
            #expect(service.get(Setting<String>("b", in: .defaults, default: "")) == "two")
            #expect(try disk.findValues("\(count) steps") == course.values, "\(count) steps")
            let aside = try #require(disk.names(in: Start.directory).first { $0.contains(".damaged-") })
            #expect(disk.contents(of: Start.directory + "/" + aside) == damaged)
        }
    }

    @Test("The last good state of a damaged property list is there wherever the process died that wrote the file last")
    func isThereWhereverThe() throws {
        for end in [SimulatedProcess.Fault.death, SimulatedProcess.Fault.deathAfter] {
            var number = 0
            var isDead = true
            while isDead {
                let disk = try emptyDisk()
                let first = disk.process()
                var course = Course([:])
                #expect(course.run(Array(Self.steps.prefix(5)), on: try quietStore(first)) == nil)
                first.kill()
                let process = disk.process()
                process.set(end(number))
                do { _ = course.run(Array(Self.steps.suffix(3)), on: try quietStore(process)) } catch {}
                isDead = process.isDead
                process.kill()
                if disk.contents(of: Start.path) != nil { try disk.write(Data(), to: Start.path) }
                let found = try disk.findValues("call \(number)")
                #expect(found == course.values || found == course.maybe, "call \(number): \(found.keys)")
                number += 1
            }
            #expect(number > 20)
        }
    }

    @Test(
        "The last good state of a damaged property list has the journal over it, and nothing of a mistaken edit"
    )
    func hasTheJournal() throws {
        let disk = try emptyDisk()
        let process = disk.process()
        let store = try quietStore(process)
        try Step.batch(["a": "1", "b": "2", "c": "3"]).perform(on: store)
        try store.bringUpToDate()
        try store.set(key("c"), to: Data("33".utf8))
        process.kill()
        let text = String(decoding: try #require(disk.contents(of: Start.path)), as: UTF8.self)
        let edited = text.replacing("<integer>1</integer>", with: "<integer>11</integer>")
            .replacing("<integer>3</integer>", with: "<integer>3<integer>")
        try disk.write(Data(edited.utf8), to: Start.path)
        let found = try quietStore(disk.process()).values
        #expect(found == ["a": Data("1".utf8), "b": Data("2".utf8), "c": Data("33".utf8)])
    }

    @Test("The last good state of a damaged property list has edits that a writing process has taken over since")
    func hasEditsThatA() throws {
        let disk = try emptyDisk()
        let process = disk.process()
        let store = try quietStore(process)
        try Step.batch(["a": "1", "b": "2"]).perform(on: store)
        try store.bringUpToDate()
        let text = String(decoding: try #require(disk.contents(of: Start.path)), as: UTF8.self)
        try disk.write(
            Data(text.replacing("<integer>1</integer>", with: "<integer>11</integer>").utf8), to: Start.path)
        try store.refresh()
        #expect(store.values["a"] == Data("11".utf8))
        process.kill()
        try disk.write(Data("oops".utf8), to: Start.path)
        #expect(try quietStore(disk.process()).values == ["a": Data("11".utf8), "b": Data("2".utf8)])
    }

    @Test("The last good state of a damaged property list keeps the kinds of values that the bytes alone do not tell")
    func keepsTheKindsOf() throws {
        let disk = try emptyDisk()
        try disk.write(Data(xml("<key>date</key><date>2020-01-02T03:04:05Z</date>").utf8), to: Start.path)
        let process = disk.process()
        let store = try quietStore(process)
        try store.set(key("a"), to: Data("1".utf8))
        try store.bringUpToDate()
        try store.set(key("a"), to: Data("2".utf8))
        try store.bringUpToDate()
        process.kill()
        try disk.write(Data(), to: Start.path)
        let again = try quietStore(disk.process())
        try again.set(key("a"), to: Data("3".utf8))
        try again.bringUpToDate()
        let text = String(decoding: try #require(disk.contents(of: Start.path)), as: UTF8.self)
        #expect(text.contains("<date>2020-01-02T03:04:05Z</date>"))
    }

    @Test(
        "The last good state of a damaged property list stays in force in a running process"
    )
    func staysInForceIn() async throws {
        try await withPropertyList { path in
            let store = try open(path)
            let (service, problems) = SettingsService.over(store)
            try store.set(key("a"), to: Data("1".utf8))
            try store.set(key("b"), to: Data("2".utf8))
            try service.bringUpToDate()
            let text = String(decoding: try bytes(of: path), as: UTF8.self)
            let edited = text.replacing("<integer>1</integer>", with: "<integer>11</integer>")
                .replacing("<integer>2</integer>", with: "<integer>2<integer>")
            try write(edited, to: path)
            #expect(try await eventually { problems.codes == [.damaged] })
            #expect(store.get(key("a")) == Data("1".utf8))
            #expect(store.get(key("b")) == Data("2".utf8))
            #expect(problems.all.first?.description.contains("line ") == true)
        }
    }

    @Test("The last good state of a damaged property list is found after two processes have folded in turn")
    func isFoundAfterTwo() throws {
        let disk = try emptyDisk()
        let processes = [disk.process(), disk.process()]
        let stores = try processes.map { try quietStore($0) }
        var values: Values = [:]
        for number in 0..<12 {
            let name = "k\(number % 5)"
            let data = Data("\(number)".utf8)
            try stores[number % 2].set(key(name), to: data)
            values[name] = data
            if number % 3 != 1 { try stores[(number / 3) % 2].bringUpToDate() }
            let copy = try emptyDisk()
            for name in disk.names(in: Start.directory) {
                let path = Start.directory + "/" + name
                try copy.write(try #require(disk.contents(of: path)), to: path)
            }
            if copy.contents(of: Start.path) != nil { try copy.write(Data(), to: Start.path) }
            #expect(try quietStore(copy.process()).values == values, "step \(number)")
        }
    }
}

@Suite("An edit that a writing process has taken over")
struct AnEditThatAWritingProcessHasTakenOverTests {
    /// A folder in which a process has stored 1, and a tool then 2, without the mark that we leave.
    private func edited(_ disk: SimulatedDisk, _ file: String) throws -> (SimulatedProcess, PropertyListStore) {
        for path in ["/home", Start.directory] { try disk.makeDirectory(path) }
        let process = disk.process()
        let store = try quietStore(process)
        try store.set(key("k"), to: Data("1".utf8))
        try store.bringUpToDate()
        try disk.replace(Start.path, with: Data(file.utf8))
        try store.refresh()
        #expect(store.values["k"] == Data("2".utf8))
        return (process, store)
    }

    @Test("An edit that a writing process has taken over is not undone at the next start")
    func isNotUndoneAt() throws {
        let disk = SimulatedDisk()
        let (process, _) = try edited(disk, xml("<key>k</key><integer>2</integer>"))
        process.kill()
        #expect(try quietStore(disk.process()).values == ["k": Data("2".utf8)])
    }

    @Test("An edit that a writing process has taken over is the last good state when the next edit is a mistake")
    func isTheLastGood() throws {
        let disk = SimulatedDisk()
        let (process, store) = try edited(disk, xml("<key>k</key><integer>2</integer>"))
        try disk.write(Data("<plist><dict><key>k".utf8), to: Start.path)
        try store.refresh()
        try store.set(key("other"), to: Data("3".utf8))
        process.kill()
        #expect(try quietStore(disk.process()).values == ["k": Data("2".utf8), "other": Data("3".utf8)])
    }
}
