import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("Writes that take the place of waiting ones")
struct ReplacingTests {
    private let contents = ClusterContents(range: KeyRange(prefix: "p/"))

    private func write(
        _ queue: inout WriteQueue, _ writes: [String: String?], base: Int64 = 5,
        _ change: (inout QueuedWrite) -> Void = { _ in }
    ) -> QueuedWrite {
        var write = QueuedWrite(
            id: queue.makeID(), writes: writes.mapValues { $0.map { Data($0.utf8) } }, isAccepted: true, hasWaited: true
        )
        for name in writes.keys { write.bases[name] = base }
        change(&write)
        return write
    }

    /// Appends writes of "a", "b" and "c".
    private func queue(_ change: (inout QueuedWrite) -> Void = { _ in }) -> WriteQueue {
        var queue = WriteQueue()
        for name in ["a", "b", "c"] {
            let write = write(&queue, [name: "1"], change)
            queue.append(write)
        }
        return queue
    }

    private func transaction(_ queue: WriteQueue) -> PlannedTransaction? {
        if case .transaction(let plan) = queue.next(contents, sizeLimit: 1 << 20) { return plan }
        return nil
    }

    @Test("A later write of a name has the place of the earlier one, which is neither sent nor stored in the meantime")
    func place() throws {
        var queue = queue()
        let ids = queue.entries.map(\.id)
        let later = write(&queue, ["b": "2"])
        let replaced = queue.beginReplacing(by: later, sent: [])
        #expect(replaced == ids[1] && transaction(queue)?.ids == [ids[0]])
        queue.forgetBases(of: ["b", "c"])
        let meanwhile = queue.removeUnstored()
        #expect(meanwhile.rebased.map(\.id) == [ids[2]])
        let isReplaced = queue.endReplacing(by: later)
        #expect(isReplaced)
        let afterwards = queue.removeUnstored()
        #expect(afterwards.rebased.map(\.writes) == [later.writes])
        let plan = try #require(transaction(queue))
        #expect(plan.ids == ids && plan.writes["b"] == Data("2".utf8) && plan.comparisons["a"] == 5)
    }

    @Test("The first write is not sent while it is replaced, and stays if the other one could not be stored")
    func first() {
        var queue = queue()
        let later = write(&queue, ["a": "2"])
        let replaced = queue.beginReplacing(by: later, sent: [])
        #expect(replaced != nil && queue.next(contents, sizeLimit: 1) == nil)
        let isReplaced = queue.endReplacing(by: nil)
        #expect(!isReplaced)
        #expect(transaction(queue)?.writes["a"] == Data("1".utf8))
    }

    enum Difference: CaseIterable {
        case base, cluster, expectation, names, notWaiting, sent, earlierRun, rebased, barrier
    }

    @Test("A write that decides otherwise, or may have been made, is not replaced", arguments: Difference.allCases)
    func different(difference: Difference) {
        var queue = queue()
        var later = write(&queue, ["a": "2"])
        var sent: [QueuedWrite.ID] = []
        switch difference {
        case .base: later.bases["a"] = 6
        case .cluster: later.cluster = 1
        case .expectation: later.expectations = ["a": Data("1".utf8)]
        case .names: later.writes["b"] = Data("2".utf8)
        case .notWaiting: later.hasWaited = false
        case .sent: sent = [queue.entries[0].id]
        case .earlierRun: queue = WriteQueue(queue.entries)
        case .rebased: queue.forgetBases(of: ["a"])
        case .barrier: queue.append(QueuedWrite(id: queue.makeID(), writes: [:], isAccepted: false))
        }
        let replaced = queue.beginReplacing(by: later, sent: sent)
        #expect(replaced == nil)
    }

    @Test("What no longer fits into one transaction is not replaced, so that the order stays")
    func order() {
        var queue = WriteQueue()
        for number in 0...EtcdLimits.operations {
            let write = write(&queue, ["\(number)": "1"])
            queue.append(write)
        }
        let (first, last) = (write(&queue, ["0": "2"]), write(&queue, ["\(EtcdLimits.operations)": "2"]))
        let replaced = [first, last].map { queue.beginReplacing(by: $0, sent: []) }
        #expect(replaced[0] == nil && replaced[1] != nil)
    }

    @Test("Whatever is replaced, the last values are sent, in the order of the last transaction")
    func random() throws {
        for seed in 0..<UInt64(Rounds.choose(200, full: 5_000)) {
            var generator = SeededGenerator(seed: seed)
            var (queue, last, sent) = (WriteQueue(), [String: Data?](), [String: Data?]())
            for number in 0..<60 {
                let name = "\(Int.random(in: 0..<6, using: &generator))"
                let later = write(&queue, [name: "\(number)"])
                last[name] = later.writes[name]
                if queue.beginReplacing(by: later, sent: []) != nil {
                    let isReplaced = queue.endReplacing(by: later)
                    #expect(isReplaced, "seed \(seed)")
                } else {
                    queue.append(later)
                }
                if Int.random(in: 0..<10, using: &generator) == 0 {
                    let plan = try #require(transaction(queue))
                    sent.merge(plan.writes) { $1 }
                    _ = queue.agree(plan, at: 5)
                }
                #expect(queue.entries.count <= 6, "seed \(seed)")
            }
            while let plan = transaction(queue) {
                sent.merge(plan.writes) { $1 }
                _ = queue.agree(plan, at: 5)
            }
            #expect(sent == last, "seed \(seed)")
        }
    }
}
