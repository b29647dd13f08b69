import SettingsKitCore
import SettingsKitPlatform

/// The position of this process in the history of journals: the journal that it follows, and the one before.
struct JournalCursor {
    /// The open journal. Nil while there is no usable one.
    private(set) var journal: Journal?
    /// The journal that was followed before. Nil if there was none.
    private(set) var left: LeftJournal?
    /// Why the file at the journal's path is not used. Nil if it is, or if there is no file.
    private(set) var problem: JournalProblem?
    /// Identifies the property list in its mark and in the journals' headers. 0 while it has no identity.
    private(set) var list: UInt64 = 0
    /// The generation of the latest journal.
    private(set) var generation: UInt64 = 0
    /// The end of this process's last change, in the history of journals.
    private(set) var ownPosition: Int64 = 0
    /// The time until which the open journal counts as the one at its path, unless it has grown. Nil if it does not.
    private var trustedUntil: Deadline?
    /// The length at which the journal is rewritten, with one record for each name.
    private var rewriteLength: Int64 = 0

    /// A journal that is not open any more.
    struct LeftJournal: Sendable {
        let header: JournalHeader
        let condition: Journal.Condition
        /// The difference between a position in the history of journals and an offset in the file.
        let base: Int64
        /// The position in the history of journals up to which the journal was read.
        let end: Int64
        /// Whether more may have been appended since.
        let isEarly: Bool
    }

    /// The end of the read records, in the history of journals.
    var history: Int64 { journal?.historyPosition ?? left?.end ?? 0 }

    // MARK: Going from one journal to the next

    /// Sets the reason why the file at the journal's path is not used; nil if it can be used.
    ///
    /// - Returns: whether the reason is new.
    @discardableResult
    mutating func setProblem(_ problem: JournalProblem?) -> Bool {
        defer { self.problem = problem }
        return problem != self.problem
    }

    /// Adopts the property list's identity from its mark or from a journal's header.
    mutating func identify(list: UInt64, generation: UInt64) {
        if list != 0 { self.list = list }
        self.generation = max(self.generation, generation)
    }

    /// Follows a journal whose place in the history is known.
    mutating func open(_ journal: Journal) { self.journal = journal }

    /// Follows a journal that has no header yet.
    mutating func openUnbegun(_ journal: Journal) {
        journal.follow(nil, from: 0, at: history)
        self.journal = journal
    }

    /// Follows a journal that does not apply to the property list: memory already contains the journal that it replaced.
    mutating func openRejected(_ journal: Journal, of loaded: JournalCursor) {
        journal.follow(journal.header, from: journal.position, at: history)
        self.journal = journal
        list = loaded.list
        generation = max(generation, loaded.generation)
    }

    /// Follows a journal if nothing was missed between it and the previous one: it is the same, or its successor.
    ///
    /// - Returns: false if everything must be read again.
    mutating func enter(_ journal: Journal) throws -> Bool {
        let size = try journal.status().size
        let bytes = try journal.bytes(from: 0, upTo: min(size, Int64(JournalHeader.size)))
        switch bytes.withUnsafeBytes(JournalHeader.read) {
        case .absent:
            journal.follow(nil, from: 0, at: history)
        case .newer(let version):
            throw JournalProblem.newerVersion(version)
        case .intact(let header) where isSuccessor(header) && header.carriedEnd <= size:
            journal.follow(header, from: header.carriedEnd, at: history)
            list = header.list
            generation = header.generation
        case .intact(let header) where header == left?.header:
            // The journal was closed because it could not be written.
            journal.follow(header, from: UInt64(max(0, history - (left?.base ?? 0))), at: history)
            journal.condition = left?.condition ?? .init()
        case .intact, .damaged:
            return false
        }
        self.journal = journal
        return true
    }

    private func isSuccessor(_ header: JournalHeader) -> Bool {
        header.predecessor == left?.header.id ?? 0 && !header.mustBeRead && left?.isEarly != true
            && left?.condition.isCut != true
    }

    /// Closes the open journal.
    ///
    /// - Parameter isEarly: Whether more may be appended to it that is not read.
    mutating func leave(isEarly: Bool = false) {
        guard let journal else { return }
        if let header = journal.header {
            left = LeftJournal(
                header: header, condition: journal.condition, base: journal.base, end: journal.historyPosition,
                isEarly: isEarly)
        }
        journal.close()
        self.journal = nil
    }

    // MARK: Beginning a journal

    /// Returns the header of a journal that follows another.
    ///
    /// - Parameters:
    ///   - predecessor: The journal that it follows. Nil for none: a property list without journals gets a new identity,
    ///     so that its copies on several machines can be distinguished.
    ///   - mark: The property list's mark.
    mutating func nextHeader(after predecessor: JournalHeader?, mark: JournalMark?, mustBeRead: Bool) -> JournalHeader {
        if list == 0 || predecessor == nil { list = .random(in: 1 ... .max) }
        return JournalHeader(
            id: .random(in: 1 ... .max), predecessor: predecessor?.id ?? 0, list: list,
            generation: min(generation + 1, JournalHeader.offsetLimit), base: mark?.journal ?? 0,
            baseOffset: mark?.offset ?? 0, mustBeRead: mustBeRead)
    }

    /// Follows a journal that this process has begun.
    mutating func didBegin(_ journal: Journal) {
        self.journal = journal
        generation = journal.header?.generation ?? generation
        rewriteLength = Int64(journal.position) * 2
    }

    /// Whether the journal has become so long that it is rewritten.
    func isLong(limit: Int) -> Bool {
        journal.map { Int64($0.position) > max(Int64(limit), rewriteLength) } ?? false
    }

    /// Lets the journal grow further before it is rewritten.
    mutating func postponeRewriting(by limit: Int) {
        rewriteLength = Int64(journal?.position ?? 0) + Int64(limit)
    }

    // MARK: Locking

    /// Whether the open journal may count as the one at its path, so that records can be appended to it.
    var isTrusted: Bool { trustedUntil != nil && journal?.isPlain == true }

    /// Whether the open journal is trusted, and has not grown since it was read. The lock is held.
    func isUnchanged() throws(SystemError) -> Bool {
        // Compared with the time while the lock is held: a process that replaces a journal without announcing it in that journal
        // holds the lock for as long as a journal is trusted.
        guard let journal, let trustedUntil, !trustedUntil.hasPassed else { return false }
        return try journal.isUnchanged()
    }

    /// Records that this process has appended a change.
    mutating func didChange() { ownPosition = history }

    /// Trusts for a while that the open journal, which was locked, is the one at its path.
    mutating func trust(for duration: Duration) { trustedUntil = Deadline(after: duration) }

    /// Ends the trust: another journal is about to replace this one.
    mutating func distrust() { trustedUntil = nil }
}
