import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

/// The plan alone: no file is written.
@Suite("The plan of an export", .ownThreads)
struct PartPlanTests {
    /// What the parts of a replica have, as the plans say.
    private struct Parts {
        /// For each part that exists, what it has: the versions of the settings by their numbers. Nil: damaged.
        var contents: [Int: [Int: Int]?] = [:]
        var state: [Int: Int] = [:]
        let sizes: (Int) -> Int
        let headLimit: Int

        init(headLimit: Int = DirectoryLimits.head, sizes: @escaping (Int) -> Int) {
            self.headLimit = headLimit
            self.sizes = sizes
        }

        func plan(isCompacting: Bool = false) -> (plan: PartPlan, names: [Int]) {
            let names = state.keys.sorted()
            let records = names.map { name in
                PartPlan.Record(
                    size: sizes(name),
                    part: contents.filter { $0.value?[name] == state[name] }.keys.max())
            }
            let parts = contents.filter { $0.key > 0 }.mapValues { part in
                part.map { $0.keys.reduce(0) { $0 + sizes($1) } }
            }
            return (
                PartPlan(records: records, parts: parts, isCompacting: isCompacting, headLimit: headLimit), names
            )
        }

        /// - Returns: how many bytes are written.
        @discardableResult
        mutating func export(isCompacting: Bool = false) -> Int {
            let (plan, names) = plan(isCompacting: isCompacting)
            for file in plan.files {
                contents[file.part] = Dictionary(
                    uniqueKeysWithValues: file.records.map { (names[$0], state[names[$0]]!) })
            }
            return plan.files.reduce(0) { size, file in
                size + 300 + file.records.reduce(0) { $0 + sizes(names[$1]) }
            }
        }

        /// Whether every setting is in one of the parts as it is now, and no part is damaged.
        var isComplete: Bool {
            state.allSatisfy { name, version in contents.values.contains { $0?[name] == version } }
                && contents.values.allSatisfy { $0 != nil }
        }
    }

    @Test("The plan of an export writes only the head when there is little")
    func writesOnlyTheHead() {
        var parts = Parts { _ in 130 }
        for name in 0..<60 {
            parts.state[name] = 1
            parts.export()
            #expect(parts.contents.keys.sorted() == [0])
        }
        #expect(parts.isComplete)
    }

    @Test("The plan of an export moves what does not fit into the head to the next part, and leaves the head empty")
    func movesWhatDoesNot() {
        var parts = Parts(headLimit: 1_000) { _ in 130 }
        for name in 0..<8 { parts.state[name] = 1 }
        let files = parts.plan().plan.files
        #expect(files == [PartPlan.File(part: 1, records: Array(0..<8)), PartPlan.File(part: 0)])
        parts.export()
        parts.state[3] = 2
        #expect(parts.plan().plan.files == [PartPlan.File(part: 0, records: [3])])
    }

    @Test("The plan of an export has the largest part that is needed for all, where nothing was written yet")
    func hasTheLargestPart() {
        var parts = Parts(headLimit: 100) { _ in 100 }
        for (count, part) in [(1, 0), (2, 1), (12, 1), (13, 2), (144, 2), (145, 3), (1_729, 4)] {
            parts.state = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, 1) })
            #expect(parts.plan().plan.files.first?.part == part, "\(count) records")
        }
        parts.state = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ($0, 1) })
        #expect(parts.plan().plan.files.first?.part == DirectoryLimits.lastPart)
    }

    /// Three records of three sizes, each of which any part may have; each part there, missing, or damaged.
    @Test(
        "The plan of an export loses nothing, writes nothing in vain, and mends what is damaged, whatever the parts have"
    )
    func losesNothingWritesNothing() {
        var count = 0
        let sizes = [1, 11, 130]
        // For each part: 0 missing, 1 damaged, 2 intact, 3 intact with much that is superseded.
        let stride = Rounds.choose(5, full: 1)
        for states in Swift.stride(from: 0, to: 256, by: stride) {
            let state = { (part: Int) in states >> (2 * (part - 1)) & 3 }
            for homes in 0..<125 {
                let records = sizes.indices.map { index in
                    let home = homes / [1, 5, 25][index] % 5
                    let isThere = home > 0 && state(home) >= 2
                    return PartPlan.Record(size: sizes[index], part: isThere ? home : home == 0 ? 0 : nil)
                }
                var parts: [Int: Int?] = [:]
                for part in 1...4 where state(part) > 0 {
                    let used = records.reduce(0) { $0 + ($1.part == part ? $1.size : 0) }
                    parts[part] = .some([nil, used, used + 100_000][state(part) - 1])
                }
                for isCompacting in [false, true] {
                    let plan = PartPlan(records: records, parts: parts, isCompacting: isCompacting, headLimit: 10)
                    check(plan, records, parts, isCompacting)
                    count += 1
                }
            }
        }
        #expect(count == (255 / stride + 1) * 250)
    }

    private func check(_ plan: PartPlan, _ records: [PartPlan.Record], _ parts: [Int: Int?], _ isCompacting: Bool) {
        let written = plan.files.map(\.part)
        var isRight = written == written.sorted(by: >) && written.last == 0 && Set(written).count == written.count
        for (index, record) in records.enumerated() {
            let count = plan.files.count { $0.records.contains(index) }
            let isKept = record.part.map { !written.contains($0) } ?? false
            isRight = isRight && (count == 1 || count == 0 && isKept && !isCompacting)
        }
        isRight = isRight && plan.files.count { !$0.records.isEmpty } <= 1
        for (part, size) in parts {
            if size == nil { isRight = isRight && written.contains(part) }
            // An empty part is not written to be empty again.
            if size == .some(0), plan.files.contains(.init(part: part)), part > 0 { isRight = false }
            if isCompacting, let size, size > 0 { isRight = isRight && written.contains(part) }
        }
        if !isRight { Issue.record("\(plan) for \(records) in \(parts)") }
    }

    @Test(
        "The plan of an export writes at most 16 KB on average beside 10,000 settings", arguments: [true, false])
    func writesAtMost16(isOneKey: Bool) {
        var records = [PartPlan.Record](repeating: PartPlan.Record(size: 150), count: 10_000)
        var parts: [Int: Int?] = [:]
        var bytes = 0
        func export() {
            for file in PartPlan(records: records, parts: parts).files {
                for index in file.records { records[index].part = file.part }
                if file.part > 0 { parts[file.part] = file.records.count * 150 }
                bytes += 300 + file.records.count * 150
            }
        }
        export()
        #expect(bytes > 1_500_000)
        bytes = 0
        let changes = Rounds.choose(250, full: 1_000)
        for change in 0..<changes {
            records[isOneKey ? 17 : change * 7 % 10_000].part = nil
            export()
        }
        #expect(bytes / changes <= 16_384)
        // The rest of the settings is not written again.
        #expect(bytes / changes <= (isOneKey ? 500 : 7_000))
    }

    @Test(
        "The plan of an export keeps everything in the parts, and the parts from growing, in random schedules",
        arguments: Rounds.seeds(0..<20, part: 5))
    func keepsEverythingInThe(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var parts = Parts(headLimit: 500) { $0 % 7 == 0 ? 900 : 40 + $0 % 50 }
        for step in 0..<400 {
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                let name = Int.random(in: 0..<300, using: &random)
                parts.state[name, default: 0] += 1
            }
            if Int.random(in: 0..<10, using: &random) == 0 {
                parts.state[Int.random(in: 0..<300, using: &random)] = nil
            }
            let part = Int.random(in: 0...DirectoryLimits.lastPart, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0 where parts.contents[part] != nil: parts.contents[part] = .some(nil)
            case 1: parts.contents[part] = nil
            default: break
            }
            let isCompacting = Int.random(in: 0..<40, using: &random) == 0
            parts.export(isCompacting: isCompacting)
            #expect(parts.isComplete, "seed \(seed), step \(step)")
            let used = parts.state.keys.reduce(0) { $0 + parts.sizes($1) }
            let size = parts.contents.values.reduce(0) { size, part in
                size + (part ?? [:]).keys.reduce(0) { $0 + parts.sizes($1) }
            }
            // Twice what is needed, and what fits into each of the smaller parts.
            #expect(size <= used * 2 + 500 + 6_000 + 72_000, "seed \(seed), step \(step)")
            if isCompacting { #expect(size == used, "seed \(seed), step \(step)") }
        }
    }

    @Test("The plan of an export writes a part again when most of it is superseded")
    func writesAPartAgain() {
        var parts = Parts(headLimit: 1_000) { $0 < 1_000 ? 1_000 : 10 }
        // 100 large records are in part 3, and are replaced by small ones.
        for name in 0..<150 { parts.state[name] = 1 }
        parts.export()
        #expect(parts.contents[3]??.count == 150)
        for name in 0..<150 {
            parts.state[name] = nil
            parts.state[1_000 + name] = 1
        }
        parts.export()
        #expect(parts.contents[3]??.count == 150)
        #expect(parts.contents[3]??.keys.min() == 1_000)
        #expect(parts.isComplete)
    }

    @Test("The plan of an export puts everything into one part when it compacts, and empties the rest")
    func putsEverythingIntoOne() {
        var parts = Parts(headLimit: 100) { _ in 100 }
        for name in 0..<200 { parts.state[name] = 1 }
        parts.export()
        for name in 0..<30 {
            parts.state[name] = 2
            parts.export()
        }
        for name in 20..<200 { parts.state[name] = nil }
        parts.export(isCompacting: true)
        #expect(parts.isComplete)
        #expect(parts.contents.filter { !($0.value?.isEmpty ?? false) }.keys.sorted() == [2])
        #expect(parts.contents[2]??.count == 20)
    }
}
