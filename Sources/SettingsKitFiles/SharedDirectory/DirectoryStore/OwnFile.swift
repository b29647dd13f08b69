/// One of the replica's own files, at the last reading.
struct OwnFile: Sendable {
    /// The number of the part: 0 for the head.
    let part: Int
    /// The file's name, or a free name for it.
    let name: String
    /// The file found at the last reading. Nil if there is none.
    let seen: SeenFile?
    /// The first line. Nil if the file is missing or damaged, or belongs to another replica or part.
    let header: ReplicaHeader?
    /// The entries in the file. Nil if ``header`` is nil.
    let contents: PartContents?

    init(part: Int, name: String, seen: SeenFile?, own: ReplicaID) {
        self.part = part
        self.name = name
        self.seen = seen
        if let seen, seen.status != nil, let summary = seen.summary, summary.isComplete, let header = summary.header,
            header.replica == own, header.part == part, let contents = summary.contents
        {
            self.header = header
            self.contents = contents
        } else {
            header = nil
            contents = nil
        }
    }
}
