import Foundation
import Testing

@testable import SettingsKitCore
@testable import SettingsKitFiles

@Suite("The contents of a property list in memory")
struct PropertyListContentsTests {
    private let old = Data("1".utf8)
    private let new = Data("2".utf8)

    /// Contents with a name in one of the layers, and others around it.
    private func contents(isSettled: Bool) -> PropertyListContents {
        var contents = PropertyListContents([PropertyListMember(key: "name", value: .integer(1))], size: 100)
        for number in 0..<50 { _ = contents.set(old, named: "before \(number)", at: Int64(number + 1)) }
        if !isSettled {
            _ = contents.set(new, named: "name", at: 60)
            _ = contents.set(old, named: "name", at: 61)
        }
        return contents
    }

    @Test("A value that moved to another layer after it was found is replaced", arguments: [true, false])
    func moved(isSettled: Bool) {
        var contents = contents(isSettled: isSettled)
        let found = contents.find("name")
        #expect(found.data == old)
        _ = contents.freeze()
        let change = contents.replace(found, by: new, at: 70)
        #expect(change == SettingsStoreChange(name: "name", from: old, to: new))
        #expect(contents.data(named: "name") == new)
        #expect(contents.names.sorted() == (["name"] + (0..<50).map { "before \($0)" }).sorted())
    }

    @Test("A value is replaced where it was found, also if other names were added since", arguments: [true, false])
    func others(isSettled: Bool) {
        var contents = contents(isSettled: isSettled)
        let found = contents.find("name")
        for number in 0..<50 { _ = contents.set(old, named: "after \(number)", at: Int64(number + 100)) }
        _ = contents.replace(found, by: nil, at: 200)
        #expect(contents.data(named: "name") == nil)
        #expect(!contents.names.contains("name"))
        #expect(contents.names.count == 100)
    }

    @Test("A batch that changes a name twice publishes one change of it", arguments: [2, 40])
    func twice(count: Int) {
        var contents = contents(isSettled: true)
        let changes =
            [JournalChange(name: "name", data: Data("0".utf8))]
            + (1..<count).map { JournalChange(name: "other \($0)", data: old) }
            + [JournalChange(name: "name", data: new)]
        let made = contents.set(changes, at: 300)
        #expect(made.count == count)
        #expect(made.filter { $0.name == "name" } == [SettingsStoreChange(name: "name", from: old, to: new)])
    }

    @Test("Contents are empty if nothing is stored, in whichever layers values and removals are")
    func emptiness() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var (emptyCount, count) = (0, 0)
        for _ in 0..<300 {
            let settled = (0..<Int.random(in: 0...2, using: &generator)).map {
                PropertyListMember(key: "name \($0)", value: .integer(1))
            }
            var contents = PropertyListContents(settled)
            for position in 1...12 {
                let name = "name \(Int.random(in: 0...2, using: &generator))"
                switch Int.random(in: 0...5, using: &generator) {
                case 0: _ = contents.set(new, named: name, at: Int64(position))
                case 1: _ = contents.freeze()
                default: _ = contents.set(nil, named: name, at: Int64(position))
                }
                #expect(contents.isEmpty == contents.names.isEmpty, "seed \(seed)")
                count += 1
                if contents.isEmpty { emptyCount += 1 }
            }
        }
        #expect(emptyCount > 100 && emptyCount < count - 100)
    }
}
