import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("The queue of writes")
struct WriteQueueTests {
    private let range = KeyRange(prefix: "p/")

    private func data(_ text: String) -> Data { Data(text.utf8) }

    private func contents(_ entries: [(String, String, Int64)], at revision: Int64 = 100) -> ClusterContents {
        var contents = ClusterContents(range: range)
        _ = contents.replace(
            with: entries.map { ClusterEntry(key: range.key(of: $0.0), value: data($0.1), modRevision: $0.2) },
            at: revision, after: 0)
        return contents
    }

    private func write(
        _ queue: inout WriteQueue, _ writes: [String: Data?], expecting: [String: Data?] = [:], isAccepted: Bool = true,
        base: Int64 = 0, hasWaited: Bool = false
    ) -> QueuedWrite.ID {
        var write = QueuedWrite(id: queue.makeID(), writes: writes, expectations: expecting, isAccepted: isAccepted)
        for name in writes.keys { write.bases[name] = base }
        write.hasWaited = hasWaited
        queue.append(write)
        return write.id
    }

    private func plan(_ queue: WriteQueue, _ contents: ClusterContents, limit: Int = 1 << 20) -> PlannedTransaction? {
        if case .transaction(let plan) = queue.next(contents, sizeLimit: limit) { return plan }
        return nil
    }

    @Test("Writes without expectations share a transaction, and the last of a name counts")
    func sharing() {
        var queue = WriteQueue()
        let known = contents([])
        let ids = [
            write(&queue, ["a": data("1")]), write(&queue, ["b": nil]),
            write(&queue, ["a": data("2")], isAccepted: false),
        ]
        let conditional = write(&queue, ["a": data("3")], expecting: ["a": data("2")], isAccepted: false)
        let first = plan(queue, known)
        #expect(first?.ids == ids && first?.writes == ["a": data("2"), "b": nil] && first?.comparisons.isEmpty == true)
        if let first { #expect(queue.agree(first, at: 101).map(\.id) == ids) }
        #expect(queue.entries.map(\.id) == [conditional])
    }

    @Test("A change whose base is the revision of another value now loses to that value")
    func reusedBase() throws {
        var queue = WriteQueue()
        let known = contents([("a", "new", 50), ("b", "1", 40)])
        _ = write(&queue, ["a": data("2")], base: 50, hasWaited: true)
        let other = write(&queue, ["b": data("3")], base: 40, hasWaited: true)
        queue.forgetBases(of: ["a"])
        let first = try #require(plan(queue, known))
        #expect(first.comparisons == ["a": .max, "b": 40])
        #expect(queue.refuse(first, known).map(\.outcome) == [.overruled])
        #expect(queue.entries.map(\.id) == [other])
        #expect(plan(queue, known)?.comparisons == ["b": 40])
    }

    @Test("A transaction has at most 127 operations and a limited size")
    func limits() {
        var queue = WriteQueue()
        for number in 0..<300 { _ = write(&queue, ["k\(number)": data("1")], hasWaited: number % 2 == 0) }
        let first = plan(queue, contents([]))
        #expect(first?.writes.count == 127 && first?.ids.count == 127)
        #expect(plan(queue, contents([]), limit: 0)?.ids.count == 1)
        #expect((plan(queue, contents([]), limit: 1000)?.ids.count ?? 0) < 20)
    }

    @Test("An expectation is compared with what the cluster holds when the write's turn has come")
    func expectations() {
        var queue = WriteQueue()
        let known = contents([("a", "1", 7)])
        let refused = write(&queue, ["a": data("2")], expecting: ["a": data("0")], isAccepted: false)
        #expect(queue.next(known, sizeLimit: 1000) == .end(refused, .refused))
        _ = queue.remove(refused)
        let id = write(&queue, ["b": data("2")], expecting: ["a": data("1"), "c": nil], isAccepted: false)
        let plan = plan(queue, known)
        #expect(plan?.ids == [id] && plan?.comparisons == ["a": 7, "c": 0])
        // Another program was faster, with the same bytes.
        if let plan { #expect(queue.refuse(plan, contents([("a", "1", 9)])).map(\.outcome) == [.refused]) }
        let accepted = write(&queue, ["d": data("1")], expecting: ["d": nil])
        #expect(queue.next(contents([("d", "5", 9)]), sizeLimit: 1000) == .end(accepted, .overruled))
    }

    @Test("A write that has waited loses to another program's, and the others of its transaction do not")
    func overruled() {
        var queue = WriteQueue()
        let lost = write(&queue, ["a": data("1")], base: 5, hasWaited: true)
        let kept = write(&queue, ["b": data("1")], base: 6, hasWaited: true)
        let late = write(&queue, ["a": data("2")], base: 5, hasWaited: false)
        let plan = plan(queue, contents([("a", "0", 5), ("b", "0", 6)]))
        #expect(plan?.comparisons == ["a": 5, "b": 6])
        guard let plan else { return }
        let ended = queue.refuse(plan, contents([("a", "x", 9), ("b", "0", 6)]))
        #expect(ended.map(\.write.id) == [lost] && ended.map(\.outcome) == [.overruled])
        #expect(queue.entries.map(\.id) == [kept, late])
    }

    @Test("A write that was made before its answer was lost, or the process ended, is not overruled by itself")
    func madeBefore() {
        var queue = WriteQueue()
        _ = write(&queue, ["a": data("1")], base: 5, hasWaited: true)
        _ = write(&queue, ["a": data("2"), "b": nil], base: 5, hasWaited: true)
        guard let plan = plan(queue, contents([("a", "0", 5), ("b", "0", 5)])) else {
            Issue.record("no plan")
            return
        }
        let ended = queue.refuse(plan, contents([("a", "2", 50)]))
        #expect(ended.map(\.outcome) == [.agreed(100), .agreed(100)])
        #expect(queue.entries.isEmpty)
    }

    @Test("A write with an expectation that was made before the process ended is not overruled by itself")
    func madeBeforeWithExpectation() {
        var queue = WriteQueue()
        _ = write(&queue, ["a": data("2")], expecting: ["a": data("1")], base: 5, hasWaited: true)
        let next = write(&queue, ["a": data("3")], expecting: ["a": data("2")], base: 5, hasWaited: true)
        let known = contents([("a", "2", 50)])
        guard let first = plan(queue, known) else {
            Issue.record("no plan")
            return
        }
        #expect(queue.refuse(first, known).map(\.outcome) == [.agreed(100)])
        #expect(queue.entries.map(\.id) == [next])
        #expect(plan(queue, known)?.comparisons == ["a": 50])
        // Another program's value is none of its own.
        #expect(queue.next(contents([("a", "x", 60)]), sizeLimit: 1000) == .end(next, .overruled))
    }

    @Test("A caller that waits for earlier writes needs no transaction of its own")
    func waiting() {
        var queue = WriteQueue()
        let first = write(&queue, ["a": data("1")])
        let waiting = write(&queue, [:], isAccepted: false)
        let last = write(&queue, ["b": data("1")])
        let known = contents([])
        let plan = plan(queue, known)
        #expect(plan?.ids == [first])
        if let plan { _ = queue.agree(plan, at: 101) }
        #expect(queue.next(known, sizeLimit: 1000) == .end(waiting, .agreed(100)))
        _ = queue.remove(waiting)
        #expect(self.plan(queue, known)?.ids == [last])
    }

    @Test("A write that was made together with a later one is not overruled when others have joined them")
    func madeBeforeTheThird() {
        var queue = WriteQueue()
        _ = write(&queue, ["a": data("1")], base: 5, hasWaited: true)
        _ = write(&queue, ["a": data("2")], base: 5, hasWaited: true)
        // The cluster has made these two, and the answer was lost.
        let third = write(&queue, ["a": data("3")], base: 5, hasWaited: true)
        let fourth = write(&queue, ["a": data("4")], base: 5, hasWaited: true)
        guard let plan = plan(queue, contents([("a", "0", 5)])) else {
            Issue.record("no plan")
            return
        }
        #expect(queue.refuse(plan, contents([("a", "2", 50)])).map(\.outcome) == [.agreed(100), .agreed(100)])
        #expect(queue.entries.map(\.id) == [third, fourth] && queue.entries.map(\.bases) == [["a": 50], ["a": 50]])
    }

    @Test("The program's own writes do not overrule its later ones")
    func ownWrites() {
        var queue = WriteQueue()
        let first = write(&queue, ["a": data("1")], base: 5)
        guard let plan = plan(queue, contents([("a", "0", 5)])) else { return }
        #expect(plan.ids == [first])
        _ = write(&queue, ["a": data("2")], base: 5)
        _ = queue.agree(plan, at: 60)
        queue.recordLostConnection()
        #expect(queue.entries.map(\.hasWaited) == [true] && queue.entries[0].bases == ["a": 60])
        // The local file has to learn of the base, once.
        let (unstored, again) = (queue.removeUnstored(), queue.removeUnstored())
        #expect(unstored.rebased == queue.entries && unstored.ended == [first])
        #expect(again.rebased.isEmpty && again.ended.isEmpty)
        queue.putBack(ended: unstored.ended, rebased: unstored.rebased)
        let afterFailure = queue.removeUnstored()
        #expect(afterFailure == unstored)
    }

    @Test("A write that knows less than an earlier one of the same name is compared by itself, and loses")
    func olderBase() throws {
        var queue = WriteQueue()
        // As after two programs were killed: the first knew another machine's write, the second did not.
        let first = write(&queue, ["a": data("9")], base: 5, hasWaited: true)
        let second = write(&queue, ["a": data("1")], base: 3, hasWaited: true)
        let together = try #require(plan(queue, contents([("a", "0", 5)])))
        #expect(together.ids == [first] && together.comparisons == ["a": 5])
        _ = queue.agree(together, at: 101)
        let known = contents([("a", "9", 101)], at: 101)
        let alone = try #require(plan(queue, known))
        #expect(alone.ids == [second] && alone.comparisons == ["a": 3])
        let ended = queue.refuse(alone, known)
        #expect(ended.map(\.outcome) == [.overruled])
    }

    @Test("A value that is stored again because it has expired is older than what waits", arguments: [true, false])
    func expired(isAccepted: Bool) throws {
        var queue = WriteQueue()
        let waiting = write(&queue, ["a": data("2")], isAccepted: isAccepted, base: 7, hasWaited: isAccepted)
        let again = QueuedWrite(id: queue.makeID(), writes: ["a": data("1")], isAccepted: true, hasWaited: true)
        queue.prepend(again)
        let together = try #require(plan(queue, contents([])))
        #expect(together.ids == [again.id, waiting] && together.writes == ["a": data("2")])
        #expect(together.comparisons == ["a": 0])
        // Another client was faster, which the waiting one does not know if it was accepted.
        let ended = queue.refuse(together, contents([("a", "x", 70)]))
        #expect(ended.map(\.write.id) == (isAccepted ? [again.id, waiting] : [again.id]))
        #expect(ended.allSatisfy { $0.outcome == .overruled })
    }

    @Test("A write after the program's own removal follows it")
    func removedBefore() throws {
        var queue = WriteQueue()
        _ = write(&queue, ["a": nil], base: 5)
        let plan = try #require(self.plan(queue, contents([("a", "0", 5)])))
        _ = write(&queue, ["a": data("1")], base: 5)
        _ = queue.agree(plan, at: 50)
        #expect(queue.entries.map(\.bases) == [["a": 0]])
    }

    @Test(
        "A write keeps its base if that is newer than a transaction whose answer was late",
        arguments: [55, 0] as [Int64])
    func newerBase(base: Int64) throws {
        var queue = WriteQueue()
        _ = write(&queue, ["a": data("1")], base: 5)
        let plan = try #require(self.plan(queue, contents([("a", "0", 5)])))
        // The watch has shown the transaction's value at 50, and at 55 another machine's value or removal.
        var late = QueuedWrite(id: queue.makeID(), writes: ["a": data("2")], isAccepted: true)
        (late.bases, late.seen) = (["a": base], 55)
        queue.append(late)
        _ = queue.agree(plan, at: 50)
        #expect(queue.entries.map(\.bases) == [["a": base]])
        let unstored = queue.removeUnstored()
        #expect(unstored.rebased.isEmpty)
    }

    @Test("Readers see the last accepted value of a name that waits for their cluster")
    func waitingValues() {
        var queue = WriteQueue()
        for (value, cluster) in [("1", 0), ("2", 7), ("3", 8)] as [(String, UInt64)] {
            queue.append(
                QueuedWrite(id: queue.makeID(), writes: ["a": data(value)], isAccepted: true, cluster: cluster))
        }
        _ = write(&queue, ["b": nil])
        _ = write(&queue, ["b": data("4")], isAccepted: false)
        #expect(queue.waitingValues(of: ["a", "b", "c"], for: 7) == ["a": data("2"), "b": nil])
        #expect(queue.waitingValues(of: ["a"], for: 0) == ["a": data("1")])
    }

    @Test("A write that waits and knows less than this program may lose")
    func mayLose() {
        var queue = WriteQueue()
        _ = write(&queue, ["a": data("1")], base: 5, hasWaited: true)
        #expect(!queue.mayLose("a", contents([("a", "0", 5)])) && queue.mayLose("a", contents([("a", "9", 7)])))
        #expect(!queue.mayLose("b", contents([("b", "9", 7)])))
    }

    @Test("A write that no transaction can make ends, and is not in the way of others")
    func impossible() throws {
        var queue = WriteQueue()
        let names = (0..<64).map { "k\($0)" }
        let writes = Dictionary(uniqueKeysWithValues: names.map { ($0, data("1") as Data?) })
        let expectations = Dictionary(uniqueKeysWithValues: names.map { ("other " + $0, nil as Data?) })
        let first = write(&queue, writes, expecting: expectations, hasWaited: true)
        #expect(!PlannedTransaction.canMake(try #require(queue.entries.first)))
        let second = write(&queue, ["a": data("1")])
        #expect(queue.next(contents([]), sizeLimit: 1000) == .end(first, .failed(.refused(code: 3, status: 0))))
        _ = queue.remove(first)
        #expect(plan(queue, contents([]))?.ids == [second])
    }

    @Test("A lost connection concerns accepted writes, and not callers that wait")
    func lostConnection() {
        var queue = WriteQueue()
        _ = write(&queue, ["a": data("1")])
        _ = write(&queue, ["b": data("1")], isAccepted: false)
        queue.recordLostConnection()
        #expect(queue.entries.map(\.hasWaited) == [true, false])
    }

    @Test("An accepted write is the same after it was stored, and damaged ones are none")
    func storing() throws {
        var write = QueuedWrite(
            id: 4, writes: ["a\n\"": data("1"), "b": nil, "c": Data()], expectations: ["b": data("x"), "d": nil],
            isAccepted: true)
        write.bases = ["a\n\"": 1 << 60, "b": 0, "c": 3]
        write.hasWaited = true
        #expect(try QueuedWrite(4, stored: write.stored()) == write)
        let rest = #""expectations":{},"cluster":0}"#
        let texts = ["", "{}x", #"{"writes":{"":null},"bases":{},"#, #"{"writes":{"a":null},"bases":{"a":-1},"#]
        for text in texts.map({ $0.hasSuffix(",") ? $0 + rest : $0 }) {
            #expect(QueuedWrite(1, stored: data(text)) == nil, "\(text)")
        }
    }

    /// Runs the queue against a register that loses answers, and compares the outcome with the rules.
    @Test(
        "Whatever answers are lost, accepted writes go out in order, once", arguments: Rounds.seeds(0..<500, part: 100))
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = WriteQueue()
        var known = contents([], at: 1)
        // The cluster.
        var (stored, revision): ([String: (data: Data?, revision: Int64)], Int64) = ([:], 1)
        var last: [String: Int] = [:]
        var next = 0
        for _ in 0..<400 {
            if next < 100, Bool.random(using: &generator) {
                let name = "k\(next % 3)"
                _ = write(&queue, [name: data("\(next)")], base: known.modRevision(of: name))
                last[name] = next
                next += 1
            }
            guard let plan = plan(queue, known) else { continue }
            let holds = plan.comparisons.allSatisfy { stored[$0.key]?.revision ?? 0 == $0.value }
            if holds {
                revision += 1
                for (name, value) in plan.writes { stored[name] = (value, revision) }
            }
            // The answer is lost, and the client finds out nothing: as after a restart.
            if Int.random(in: 0..<4, using: &generator) == 0 {
                queue.recordLostConnection()
                continue
            }
            var entries: [String: ClusterEntry?] = [:]
            for name in plan.writes.keys {
                entries[name] = .some(
                    stored[name].map {
                        ClusterEntry(key: range.key(of: name), value: $0.data ?? Data(), modRevision: $0.revision)
                    })
            }
            revision += 1
            _ = known.apply(entries, at: revision)
            if holds {
                _ = queue.agree(plan, at: stored[plan.writes.first!.key]!.revision)
            } else {
                for (_, outcome) in queue.refuse(plan, known) { #expect(outcome != .overruled, "seed \(seed)") }
            }
        }
        #expect(queue.entries.isEmpty || next < 100)
        if queue.entries.isEmpty {
            for (name, number) in last { #expect(stored[name]?.data == data("\(number)"), "seed \(seed)") }
        }
    }
}
