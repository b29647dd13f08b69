import Testing

@testable import SettingsKitFiles

@Suite("The parts of a replica")
struct ReplicaPartsTests {
    private func summary(
        _ replica: UInt64 = 1, part: Int = 0, serial: UInt64? = nil, parts: [UInt64?] = [], written: Int64 = 1,
        damagedLines: Int = 0
    ) -> SeenFile.Summary {
        let header = ReplicaHeader(
            replica: ReplicaID(replica), device: "d", written: written, recordCount: 0, part: part, serial: serial,
            parts: parts)
        return SeenFile.Summary(of: ReplicaFile(header: header, damagedLines: damagedLines))
    }

    @Test("The parts of a replica are complete when each that the head lists is there, intact, under whatever name")
    func areCompleteWhenEach() {
        let head = summary(parts: [nil, 7, 8])
        let (two, three) = (summary(part: 2, serial: 7), summary(part: 3, serial: 8))
        func missing(_ files: [String: SeenFile.Summary]) -> Int? {
            ReplicaParts(files).newest[ReplicaID(1)]?.missingPart
        }
        #expect(missing(["head": head]) == 2)
        #expect(missing(["head": head, "a": three]) == 2)
        #expect(missing(["head": head, "a": two]) == 3)
        #expect(missing(["head": head, "a": two, "b": three]) == nil)
        #expect(missing(["head": head, "b": two, "a": three, "c": summary(part: 2, serial: 6)]) == nil)
        #expect(missing(["head": head, "a": two, "b": summary(part: 3, serial: 9)]) == 3)
        #expect(missing(["head": head, "a": two, "b": summary(part: 3, serial: 8, damagedLines: 1)]) == 3)
    }

    @Test("The parts of a replica are not complete with a damaged head, although all of them are there")
    func areNotCompleteWith() {
        let parts = ReplicaParts(["head": summary(parts: [7], damagedLines: 1), "a": summary(part: 1, serial: 7)])
        #expect(!parts.isComplete(since: 0))
        #expect(parts.waiting(since: 0).isEmpty)
    }

    @Test("The parts of a replica are those of the newest head; older ones do not count, but may be complete")
    func areThoseOfTheNewest() {
        let old = summary(parts: [6], written: 1)
        let new = summary(parts: [7], written: 2)
        var files = ["old": old, "new": new, "a": summary(part: 1, serial: 6)]
        var parts = ReplicaParts(files)
        #expect(parts.newest[ReplicaID(1)]?.file == "new")
        #expect(!parts.isComplete(since: 0))
        #expect(parts.heads.filter(\.isComplete).map(\.file) == ["old"])
        files["b"] = summary(part: 1, serial: 7)
        parts = ReplicaParts(files)
        #expect(parts.isComplete(since: 0))
        #expect(parts.heads.filter(\.isComplete).map(\.file) == ["new", "old"])
        files["a"] = nil
        #expect(ReplicaParts(files).isComplete(since: 0))
    }

    @Test("The parts of a replica are those of the complete head, of two that were written at the same time")
    func areThoseOfThe() {
        for names in [("a", "b"), ("b", "a")] {
            let parts = ReplicaParts([
                names.0: summary(parts: [6]), names.1: summary(parts: [7]), "part": summary(part: 1, serial: 7),
            ])
            #expect(parts.newest[ReplicaID(1)]?.file == names.1)
            #expect(parts.isComplete(since: 0))
        }
    }

    @Test("The parts of a replica wait for the head without one")
    func waitForTheHead() {
        let parts = ReplicaParts([
            "a": summary(part: 1, serial: 7), "head": summary(2), "b": summary(2, part: 1, serial: 8),
        ])
        #expect(!parts.isComplete(since: 0))
        #expect(parts.waiting(since: 0).map(\.file) == ["a"])
        #expect(parts.waiting(since: 0).map(\.part) == [0])
        #expect(parts.newest[ReplicaID(2)]?.isComplete == true)
    }

    @Test("The parts of a replica of one replica do not complete those of another")
    func ofOneReplicaDo() {
        let parts = ReplicaParts(["one": summary(1, parts: [7]), "other": summary(2, part: 1, serial: 7)])
        #expect(parts.newest[ReplicaID(1)]?.missingPart == 1)
    }
}
