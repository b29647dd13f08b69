import Testing

@testable import SettingsKitFiles

@Suite("The relation of a journal to a property list")
struct JournalRelationTests {
    /// The third journal of a property list that was last folded from the second one, up to offset 500.
    private let header = JournalHeader(id: 3, predecessor: 2, list: 1, generation: 30, base: 2, baseOffset: 500)

    private func mark(
        list: UInt64 = 1, journal: UInt64, predecessor: UInt64 = 0, generation: UInt64, offset: UInt64
    ) -> JournalMark {
        JournalMark(list: list, journal: journal, predecessor: predecessor, generation: generation, offset: offset)
    }

    private func relation(_ mark: JournalMark?) -> JournalRelation { JournalRelation(of: header, end: 1_000, to: mark) }

    @Test("The relation of a journal to a property list is an edit's where the property list has no mark")
    func isAnEditsWhere() {
        #expect(relation(nil) == .continues(folded: nil))
    }

    @Test("The relation of a journal to a property list is given by the mark where it names the journal")
    func isGivenByTheMark() {
        #expect(relation(mark(journal: 3, generation: 30, offset: 88)) == .continues(folded: 88))
        #expect(relation(mark(journal: 3, generation: 30, offset: 1_000)) == .continues(folded: 1_000))
    }

    @Test(
        "The relation of a journal to a property list is that of a journal whose end was lost where the mark goes further"
    )
    func isThatOfAJournal() {
        #expect(relation(mark(journal: 3, generation: 30, offset: 1_001)) == .isFolded)
    }

    @Test("The relation of a journal to a property list is that of a folded journal where the mark names the next one")
    func isThatOfA() {
        #expect(relation(mark(journal: 4, predecessor: 3, generation: 31, offset: 88)) == .isFolded)
    }

    @Test("The relation of a journal to a property list is given by the header where that names what the mark says")
    func isGivenByThe() {
        #expect(relation(mark(journal: 2, generation: 29, offset: 500)) == .continues(folded: nil))
        #expect(relation(mark(journal: 2, generation: 29, offset: 501)) == .continues(folded: nil))
        #expect(relation(mark(list: 9, journal: 2, generation: 29, offset: 500)) == .continues(folded: nil))
    }

    @Test(
        "The relation of a journal to a property list is that of an older property list where the mark says less than the header goes on from"
    )
    func isThatOfAnOlder() {
        #expect(relation(mark(journal: 2, generation: 29, offset: 499)) == .listIsStale)
        #expect(relation(mark(journal: 1, generation: 28, offset: 88)) == .listIsStale)
    }

    @Test("The relation of a journal to a property list is that of an older journal where the mark is of a later one")
    func isThatOfAn() {
        #expect(relation(mark(journal: 5, predecessor: 4, generation: 32, offset: 88)) == .isStale)
        // Two that came about from copies of the same files.
        #expect(relation(mark(journal: 8, predecessor: 2, generation: 30, offset: 88)) == .isStale)
    }

    @Test("The relation of a journal to a property list is that of strangers where they name different property lists")
    func isThatOfStrangers() {
        #expect(relation(mark(list: 9, journal: 8, generation: 1, offset: 88)) == .isForeign)
        #expect(relation(mark(list: 9, journal: 8, generation: 99, offset: 88)) == .isForeign)
    }

    @Test("The relation of a journal to a property list is not taken for granted where the header is lost")
    func isNotTakenFor() {
        let lost = JournalHeader.lost(of: 3)
        func relation(_ mark: JournalMark?) -> JournalRelation { JournalRelation(of: lost, end: 1_000, to: mark) }
        #expect(relation(nil) == .continues(folded: nil))
        #expect(relation(mark(journal: 3, generation: 30, offset: 90)) == .continues(folded: 90))
        #expect(relation(mark(journal: 2, generation: 29, offset: 500)) == .isStale)
    }
}
