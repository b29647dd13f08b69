import Testing

/// A step of a program.
enum Operation: Hashable, Sendable {
    case open
    case set(String, String)
    case synchronize, bringUpToDate

    /// Whether its success means that every earlier change survives a power failure.
    var isFlush: Bool { self == .synchronize || self == .bringUpToDate }
}

/// Two programs that use one property list, and an incident.
struct Scenario: Sendable, CustomTestStringConvertible {
    /// An incident that happens at most once, at any moment.
    enum Incident: Sendable {
        /// The second process ends before a call, or in the middle of a write.
        case death
        /// A flush of the first process fails: of a file, which loses its unflushed bytes, or of the directory.
        case failedFlush
        /// The system fails to write the log's unflushed bytes in the background, which the next flush of each process reports.
        case failedWriteBack
    }

    let name: String
    var subject = Subject.propertyList
    let programs: [[Operation]]
    var incident: Incident?
    /// Whether there are no files before the programs. Otherwise, a process that is gone has written them.
    var isFirst = false
    /// Steps of the first process before the programs start. With them, it has written the log.
    var beginning: [Operation] = []
    /// Whether a process uses its open log without looking at the log's path each time.
    var isTrusting = false
    /// The greatest number of preemptions in a short test.
    var bound = 1
    /// The greatest number of preemptions in a full test.
    var fullBound = 2
    /// In a short test, the power fails at one of so many moments.
    var pace = 80
    /// The least number of schedules in a short test: fewer would mean that points are missing.
    let leastCount: Int

    var testDescription: String { name }

    private static let first = Operation.set("x", "1")
    private static let second = Operation.set("y", "1")
    private static let owning: [Operation] = [.set("z", "1"), .bringUpToDate]

    static let all = orderly + withIncident + ofLog

    private static let orderly = [
        Scenario(
            name: "Both set and synchronize",
            programs: [[first, .synchronize, .set("x", "2")], [second, .synchronize, .set("y", "2")]], fullBound: 3,
            leastCount: 37),
        Scenario(
            name: "Both set one setting and synchronize, in a log of the first",
            programs: [[.set("z", "2"), .synchronize], [.set("z", "3"), .synchronize]], beginning: owning,
            isTrusting: true, fullBound: 3, pace: 10, leastCount: 26),
        Scenario(
            name: "Both synchronize without a file", programs: [[first, .synchronize], [second, .synchronize]],
            isFirst: true, leastCount: 75),
        Scenario(
            name: "One synchronizes while the other prints",
            programs: [[first, .synchronize], [second, .bringUpToDate]],
            leastCount: 56),
        Scenario(
            name: "The owner of the log synchronizes while the other prints",
            programs: [[first, .synchronize, .set("x", "2"), .synchronize], [second, .bringUpToDate]],
            beginning: owning, isTrusting: true, leastCount: 56),
        Scenario(
            name: "Both print", programs: [[first, .bringUpToDate], [second, .bringUpToDate]], beginning: owning,
            pace: 100, leastCount: 75),
        Scenario(
            name: "Both print what one has changed", programs: [[.bringUpToDate], [.bringUpToDate]],
            beginning: owning + [.set("z", "2")], leastCount: 67),
        Scenario(
            name: "One changes a setting while the other replaces the log",
            programs: [[first, .synchronize, .set("x", "2")], [.bringUpToDate]],
            beginning: owning + [.set("z", "2")], isTrusting: true, leastCount: 48),
        Scenario(
            name: "One opens the files while the other prints",
            programs: [[first, .bringUpToDate], [.open, second, .synchronize]], beginning: owning, leastCount: 60),
    ]

    private static let withIncident = [
        Scenario(
            name: "A flush of one fails while the other synchronizes",
            programs: [[first, .synchronize, .synchronize], [second, .synchronize]], incident: .failedFlush,
            fullBound: 1, leastCount: 150),
        Scenario(
            name: "A flush of one fails while it prints, and the other synchronizes",
            programs: [[first, .bringUpToDate, .synchronize], [second, .synchronize]], incident: .failedFlush,
            beginning: owning, bound: 0, fullBound: 1, pace: 3, leastCount: 10),
        Scenario(
            name: "The system loses unflushed bytes while both synchronize",
            programs: [[first, .synchronize, .synchronize], [second, .synchronize, .synchronize]],
            incident: .failedWriteBack, beginning: owning, isTrusting: true, bound: 0, fullBound: 1, leastCount: 63),
        Scenario(
            name: "The system loses unflushed bytes while one prints",
            programs: [[first, .synchronize, .synchronize], [second, .bringUpToDate]],
            incident: .failedWriteBack, beginning: owning, bound: 0, fullBound: 1, leastCount: 112),
        Scenario(
            name: "A process ends while it prints, and the other synchronizes",
            programs: [[first, .synchronize], [second, .bringUpToDate]], incident: .death, bound: 0, fullBound: 1,
            pace: 20, leastCount: 105),
        Scenario(
            name: "A process ends while both print",
            programs: [[first, .bringUpToDate, .set("x", "2"), .synchronize], [second, .bringUpToDate]],
            incident: .death, beginning: owning, isTrusting: true, bound: 0, fullBound: 1, leastCount: 105),
    ]

    /// In a log, to print is to compact.
    private static let ofLog = [
        Scenario(
            name: "Both set one setting in a log and synchronize", subject: .log,
            programs: [[.set("z", "2"), .synchronize], [.set("z", "3"), .synchronize]], fullBound: 3, pace: 10,
            leastCount: 20),
        Scenario(
            name: "Both begin a log", subject: .log, programs: [[first, .synchronize], [second, .synchronize]],
            isFirst: true, pace: 20, leastCount: 30),
        Scenario(
            name: "One synchronizes while the other compacts the log", subject: .log,
            programs: [[first, .synchronize, .set("x", "2"), .synchronize], [second, .bringUpToDate]],
            isTrusting: true, pace: 20, leastCount: 30),
        Scenario(
            name: "Both compact the log", subject: .log,
            programs: [[first, .bringUpToDate, .set("x", "2")], [second, .bringUpToDate]], isTrusting: true, pace: 20,
            leastCount: 30),
        Scenario(
            name: "One opens the log while the other compacts it", subject: .log,
            programs: [[first, .bringUpToDate, .set("x", "2")], [.open, second, .synchronize]], pace: 20,
            leastCount: 30),
        Scenario(
            name: "A flush of the log fails while the other synchronizes", subject: .log,
            programs: [[first, .synchronize, .synchronize], [second, .synchronize]], incident: .failedFlush,
            fullBound: 1, pace: 20, leastCount: 40),
        Scenario(
            name: "The system loses unflushed bytes of the log while both synchronize", subject: .log,
            programs: [[first, .synchronize, .synchronize], [second, .synchronize, .synchronize]],
            incident: .failedWriteBack, bound: 0, fullBound: 1, pace: 20, leastCount: 20),
        Scenario(
            name: "A process ends while both compact the log", subject: .log,
            programs: [[first, .bringUpToDate, .set("x", "2"), .synchronize], [second, .bringUpToDate]],
            incident: .death, bound: 0, fullBound: 1, pace: 20, leastCount: 20),
    ]
}
