import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

/// A device whose records take three files, with limits that are small for the test.
@Suite("A replica's part files", .ownThreads)
struct PartFilesTests {
    private let one: Device
    private let other: Device

    init() throws {
        one = try Device("one", headLimit: 400)
        other = try Device("other")
        for number in 0..<40 { try one.set("key\(number)", "0") }
        try one.store.synchronize()
        for number in 0..<5 {
            try one.set("key\(number)", "1")
            try one.store.synchronize()
        }
    }

    private func file(_ part: Int, of device: Device) throws -> (name: String, data: Data) {
        let head = try device.ownFile.name
        let name = part == 0 ? head : head.replacing(".jsonl", with: ".part\(part).jsonl")
        return (name, try #require(device.files[name]))
    }

    private func names(in data: Data) -> [String] { replicaFile(Array(data))?.records.map(\.name) ?? [] }

    private var expected: [String: String] {
        var values: [String: String] = [:]
        for number in 0..<40 { values["key\(number)"] = number < 5 ? "1" : "0" }
        return values
    }

    @Test("Few settings are in one file, which lists no parts")
    func few() throws {
        try other.set("a", "1")
        try other.store.synchronize()
        #expect(other.files.count == 1)
        #expect(!String(decoding: try other.ownFile.data, as: UTF8.self).contains("part"))
    }

    @Test("Many settings are spread over files of growing size, of which a small change writes the smallest")
    func spread() throws {
        #expect(try one.ownFiles.count == 3)
        #expect(names(in: try file(2, of: one).data).count == 40)
        let before = one.files
        try one.set("key30", "2")
        try one.store.synchronize()
        let changed = one.files.filter { before[$0.key] != $0.value }
        #expect(changed.keys.sorted() == [try one.ownFile.name])
        #expect(names(in: try one.ownFile.data).contains("key30"))
        #expect(try one.ownFile.data.count < 1_000)
    }

    @Test("The files are taken over in whatever order they arrive, and are complete when the last is there")
    func order() throws {
        let files = try one.ownFiles
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let device = try Device("reader")
            for (count, index) in order.enumerated() {
                #expect(try count == 0 || !device.store.report.problems.isEmpty, "\(order)")
                try device.put(files[index].data, files[index].name)
                try device.store.refresh()
                let values = try device.values
                for name in names(in: files[index].data) { #expect(values[name] != nil, "\(order)") }
            }
            #expect(try device.values == expected, "\(order)")
            #expect(try device.store.report.problems.isEmpty, "\(order)")
        }
    }

    @Test("A head that waits for a part is reported as incomplete, and told once when it stays so")
    func waiting() throws {
        let (service, problems) = SettingsService.over(try other.store)
        defer { withExtendedLifetime(service) {} }
        let (head, base) = (try file(0, of: one), try file(2, of: one))
        try other.put(try file(1, of: one).data, try file(1, of: one).name)
        try other.put(head.data, head.name)
        try other.store.refresh()
        #expect(problems.codes.isEmpty)
        var report = try other.store.report
        #expect(report.problems.map(\.kind) == [.incomplete])
        #expect(report.problems.map(\.file) == [head.name])
        #expect(report.problems[0].description.contains("part 2"))
        try other.store.refresh()
        try other.store.refresh()
        #expect(problems.codes.count == 1)
        try other.put(base.data.dropLast(40), base.name)
        try other.store.refresh()
        report = try other.store.report
        #expect(Set(report.problems.map(\.file)) == [head.name, base.name])
        try other.put(base.data, base.name)
        try other.store.refresh()
        #expect(try other.store.report.problems.isEmpty)
        #expect(try other.values == expected)
    }

    @Test("An old version of a file beside new ones of the others takes nothing back, and is not complete")
    func mixed() throws {
        let old = try one.ownFiles
        one.time += 1_000
        for number in 0..<40 { try one.set("key\(number)", "2") }
        try one.set("key39", nil)
        try one.store.synchronize()
        let new = try one.ownFiles
        for file in new { try other.put(file.data, file.name) }
        try other.store.refresh()
        let values = try other.values
        #expect(try values == one.values)
        for file in old {
            try other.put(file.data, file.name)
            other.restart()
            #expect(try other.values == values)
            if new.contains(where: { $0.name == file.name && $0.data != file.data }), file.name != old.last?.name {
                #expect(try other.store.report.problems.map(\.kind) == [.incomplete])
            }
            for file in new { try other.put(file.data, file.name) }
            try other.store.refresh()
            #expect(try other.store.report.problems.isEmpty)
        }
    }

    @Test("Of any mixture of old and new files the newest entries count, and only files of one export are complete")
    func mixtures() throws {
        let old = try one.ownFiles
        one.time += 1_000
        for number in 0..<40 { try one.set("key\(number)", number == 39 ? nil : "2") }
        try one.store.synchronize()
        let (new, newValues) = (try one.ownFiles, try one.values)
        #expect(zip(old, new).allSatisfy { $0.name == $1.name && $0.data != $1.data })
        for bits in 0..<8 {
            let device = try Device("reader")
            var latest: [String: SharedEntry] = [:]
            for index in 0..<3 {
                let file = bits >> index & 1 == 1 ? new[index] : old[index]
                try device.put(file.data, file.name)
                for record in replicaFile(Array(file.data))?.records ?? [] {
                    latest[record.name] = max(latest[record.name] ?? record.entry, record.entry)
                }
            }
            try device.store.refresh()
            let values = latest.compactMapValues { $0.value.map { String(decoding: $0, as: UTF8.self) } }
            #expect(try device.values == values, "\(bits)")
            // The new base has everything.
            if bits & 1 == 1 { #expect(values == newValues, "\(bits)") }
            #expect(try device.store.report.problems.isEmpty == (bits == 0 || bits == 7), "\(bits)")
            for file in new { try device.put(file.data, file.name) }
            for file in old { try device.put(file.data, "copy of \(file.name)") }
            try device.store.refresh()
            #expect(try device.values == newValues, "\(bits)")
            #expect(try device.store.report.problems.isEmpty, "\(bits)")
        }
    }

    @Test("A replica is listed once, with the settings of all its files")
    func listed() throws {
        try one.send(to: other)
        try other.store.refresh()
        let replicas = try other.store.replicas.filter { !$0.isOwn }
        #expect(replicas.map(\.deviceName) == ["one"])
        #expect(replicas.map(\.entryCount) == [40])
        try other.remove(try one.ownFile.name)
        try other.store.refresh()
        #expect(try other.store.replicas.filter { !$0.isOwn }.map(\.deviceName) == ["one"])
        #expect(try other.store.report.problems.map(\.kind) == [.incomplete])
    }

    @Test(
        "An own file that is removed, cut off, damaged or put back to an older copy is written again",
        arguments: [0, 1, 2], ["removed", "cut", "zeros", "older"])
    func lost(part: Int, how: String) throws {
        let (name, old) = try file(part, of: one)
        for round in 0..<2 {
            for number in 5..<40 { try one.set("key\(number)", "\(round)") }
            try one.store.synchronize()
        }
        let data = try #require(one.files[name])
        if part == 1 { one.restart() }
        switch how {
        case "removed": try one.remove(name)
        case "cut": try one.put(data.dropLast(40), name)
        case "zeros": try one.put(Data(count: data.count), name)
        default: try one.put(old, name)
        }
        try one.store.refresh()
        #expect(try one.store.report.hasUnexportedChanges == (one.files[name] != data))
        try one.store.synchronize()
        #expect(try !one.store.report.hasUnexportedChanges)
        try one.send(to: other)
        try other.store.refresh()
        #expect(try other.values == one.values)
        #expect(try other.store.report.problems.isEmpty)
        #expect(try one.store.replicas.count == 1)
    }

    @Test("Conflict copies of any file are merged under whatever name", arguments: DeliveryTests.conflictNames)
    func conflictCopies(pattern: String) throws {
        let old = try one.ownFiles
        one.time += 1_000
        for number in 0..<40 { try one.set("key\(number)", "new") }
        try one.send(to: other)
        for (index, file) in old.enumerated() {
            let copy =
                pattern.replacing("NAME", with: file.name.replacing(".jsonl", with: ""))
                + (pattern == "anything else" ? "\(index)" : "")
            try other.put(file.data, copy)
            try one.put(file.data, copy)
        }
        for device in [one, other] {
            try device.store.synchronize()
            #expect(try device.values == Dictionary(uniqueKeysWithValues: (0..<40).map { ("key\($0)", "new") }))
            #expect(try device.store.report.problems.isEmpty)
            #expect(try device.store.replicas.filter { $0.deviceName == "one" }.count == 1)
        }
    }

    @Test("A file of another replica under the name of a part is left alone, and another name is taken")
    func nameTaken() throws {
        let name = try file(2, of: one).name
        let taken = HostileFile.newerVersion.data
        try one.put(taken, name)
        try one.store.synchronize()
        #expect(one.files[name] == taken)
        #expect(one.files.keys.contains(name.replacing(".part2", with: "-2.part2")))
        for (name, data) in one.files { try other.put(data, name) }
        try other.store.refresh()
        #expect(try other.values == expected)
        #expect(try other.store.report.problems.map(\.kind) == [.newerVersion])
    }

    @Test("Two processes with one state go on with each other's parts, and write nothing twice")
    func processes() throws {
        let stores = try (0..<2).map { _ in try one.process() }
        let base = try file(2, of: one)
        for round in 0..<30 {
            let store = stores[round % 2]
            try store.set(key("key\(round % 7)"), to: Data("\(round)".utf8))
            try store.synchronize()
            #expect(!store.report.hasUnexportedChanges)
            try stores[1 - round % 2].refresh()
            #expect(!stores[1 - round % 2].report.hasUnexportedChanges)
            try one.send(to: other)
            try other.store.refresh()
            #expect(try other.value("key\(round % 7)") == "\(round)")
            #expect(try other.store.report.problems.isEmpty)
        }
        #expect(try file(2, of: one).data == base.data)
        #expect(stores[0].replicas.count == 1)
    }

    @Test("A copied state writes files of its own, all of them")
    func copied() throws {
        // The same ID on another device.
        let clone = try Device("clone", headLimit: 400)
        for name in ["State.plist", "State.plist-journal"] {
            if let data = one.disk.contents(of: one.state + "/" + name) {
                try clone.disk.replace(clone.state + "/" + name, with: data)
            }
        }
        try clone.set("key2", "clone")
        try clone.store.synchronize()
        try one.set("key3", "one")
        try settle([one, clone])
        #expect(try one.ownFile.name != clone.ownFile.name)
        #expect(try clone.value("key3") == "one")
        #expect(try one.value("key2") == "clone")
        #expect(try one.store.report.problems.isEmpty)
    }

    @Test("An export that must compact leaves each record once, and no old value in any file")
    func compacted() throws {
        let core = try one.core()
        try core.set(nil, for: key("key7"))
        try core.synchronize()
        #expect(names(in: try file(2, of: one).data).contains("key7"))
        core.ownFiles.compact()
        #expect(core.ownFiles.need != .nothing)
        try core.export(always: false)
        #expect(core.ownFiles.need == .nothing)
        let records = try one.ownFiles.flatMap { replicaFile(Array($0.data))?.records ?? [] }
        #expect(records.count == 40)
        #expect(records.filter { $0.name == "key7" }.map(\.entry.isTombstone) == [true])
        for file in try one.ownFiles { try other.put(file.data, file.name) }
        try other.store.refresh()
        #expect(try other.store.report.problems.isEmpty)
        one.restart()
        #expect(try other.values == one.values)
    }

    @Test("A small change beside 1,000 settings writes a few kilobytes", arguments: [true, false])
    func bytes(isOneKey: Bool) throws {
        let device = try Device("large")
        let writes = (0..<1_000).map {
            SettingsStoreBatch.Entry(key: key("setting number \($0)"), data: Data("\"value \($0)\"".utf8))
        }
        _ = try device.store.apply(SettingsStoreBatch(writes: writes))
        try device.store.synchronize()
        var (bytes, before) = (0, device.files)
        #expect(before.values.reduce(0) { $0 + $1.count } > 120_000)
        let changes = Rounds.choose(40, full: 120)
        for change in 0..<changes {
            try device.set("setting number \(isOneKey ? 17 : change)", "\(change)")
            try device.store.synchronize()
            let after = device.files
            for (name, data) in after where before[name] != data { bytes += data.count }
            before = after
        }
        #expect(bytes / changes <= 16_384)
        #expect(bytes / changes <= (isOneKey ? 600 : 6_000))
        try device.send(to: other)
        try other.store.refresh()
        for change in 0..<(isOneKey ? 0 : changes) {
            #expect(try other.value("setting number \(change)") == "\(change)")
        }
        #expect(try other.value("setting number 999") == "\"value 999\"")
        #expect(try other.store.report.problems.isEmpty)
    }
}
