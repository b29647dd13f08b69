import Foundation
import Testing

@testable import settings_benchmarks

/// A run that is compared with checked-in figures.
@Suite struct BaselineTests {
    private func results(_ changes: (String, String)...) throws -> Results {
        var json = MeasuredTests.json.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for (old, new) in changes {
            #expect(json.contains(old))
            json = json.replacingOccurrences(of: old, with: new)
        }
        return try MeasuredTests.results(json)
    }

    /// The median of the cost of row 1.
    private let cost = "\"value\": 0.5, \"atMost\": 0.4"
    private let throughput = "\"value\": 2,"

    private func cost(_ median: Double) -> (String, String) {
        (cost, cost.replacingOccurrences(of: "0.5,", with: "\(median),"))
    }

    @Test(arguments: [(0.99, 0), (1.01, 1), (50, 1), (0.01, 0)])
    func aCostOfMoreThanTwiceTheCheckedInOneIsADifference(_ median: Double, _ count: Int) throws {
        let differences = try results(cost(median)).differences(from: try results(), isComplete: true)
        #expect(differences.map(\.figure.row) == Array(repeating: 1, count: count))
        for difference in differences {
            #expect("\(difference)".hasPrefix("row 1, get: compared with Mutex<[String: Int]> look-up, "))
            #expect("\(difference)".hasSuffix("more than twice the checked-in 0.50."))
        }
    }

    @Test(arguments: [(1.01, 0), (0.99, 1), (9, 0)])
    func aThroughputOfLessThanHalfOfTheCheckedInOneIsADifference(_ median: Double, _ count: Int) throws {
        let measured = try results((throughput, "\"value\": \(median),"))
        let differences = measured.differences(from: try results(), isComplete: true)
        #expect(differences.map(\.figure.row) == Array(repeating: 3, count: count))
    }

    @Test func theShareOfAProcessIsComparedIfItHasATarget() throws {
        let share = "\"unit\": \"of its share\", \"value\": 0.31"
        let target = ", \"atLeast\": 0.5"
        let less = (share, share.replacingOccurrences(of: "0.31", with: "0.15"))
        #expect(
            try results(less).differences(from: try results(), isComplete: true).map(\.figure.name) == ["slowest"])
        let more = try results((share + target, share.replacingOccurrences(of: "0.31", with: "0.9")))
        #expect(more.differences(from: try results((target, "")), isComplete: true).isEmpty)
    }

    @Test func numbersOfBytesAndCallsAreComparedAndTimesAreNot() throws {
        let more = try results(("3481.6", "6964"), ("312.4", "90000"), ("\"value\": 200", "\"value\": 401"))
        #expect(
            more.differences(from: try results(), isComplete: true).map(\.figure.name) == ["exported", "system calls"])
        let less = try results(("3481.6", "6962"), ("\"value\": 200", "\"value\": 399"))
        #expect(less.differences(from: try results(), isComplete: true).isEmpty)
    }

    @Test(arguments: [(0.9, 0), (1.1, 1)])
    func theShareOfAProcessorMayGrowUpToItsTarget(_ share: Double, _ count: Int) throws {
        let before = (
            "\"unit\": \"µs\", \"value\": 312.4, \"atMost\": 1000",
            "\"unit\": \"% of a core\", \"value\": 0.1, \"atMost\": 1"
        )
        let now = (before.0, before.1.replacingOccurrences(of: "0.1", with: "\(share)"))
        let differences = try results(now).differences(from: try results(before), isComplete: true)
        #expect(differences.map(\.figure.row) == Array(repeating: 9, count: count))
    }

    @Test(arguments: [
        ("SQLite through C", 0.9, 0), ("SQLite through C", 1.1, 1), ("a plist by Foundation", 1.0, 0),
        ("a plist by Foundation", 1.1, 1),
    ])
    func aRatioToWhatWaitsForTheDiskMayGrowUpToItsTarget(_ rival: String, _ median: Double, _ count: Int) throws {
        func results(_ median: Double) throws -> Results {
            try self.results(
                ("\"value\": 0.5, \"atMost\": 1,", "\"value\": \(median), \"atMost\": 1,"), ("SQLite through C", rival))
        }
        let before = rival == "SQLite through C" ? 0.5 : 0.002
        let differences = try results(median).differences(from: try results(before), isComplete: true)
        #expect(differences.map(\.figure.row) == Array(repeating: 15, count: count))
    }

    @Test func whatTheMachineCannotCountIsNoDifference() throws {
        let measured = try results((", \"value\": 200", ""))
        #expect(measured.differences(from: try results(), isComplete: true).isEmpty)
    }

    @Test func aRowThatOnlyOneOfBothHasIsADifference() throws {
        var fewer = try results()
        fewer.figures.removeAll { [3, 7].contains($0.row) }
        let missing = fewer.differences(from: try results(), isComplete: true)
        #expect(
            missing.map { "\($0)" } == [
                "row 3, two threads: it is checked in, and not measured.",
                "row 7, memory: it is checked in, and not measured.",
            ])
        #expect(fewer.differences(from: try results(), isComplete: false).isEmpty)
        let new = try results().differences(from: fewer, isComplete: false)
        #expect(
            new.map { "\($0)" } == [
                "row 3, two threads: it is not among the checked-in figures.",
                "row 7, memory: it is not among the checked-in figures.",
            ])
    }

    @Test func aRepetitionReplacesTheRowsThatItHas() throws {
        var measured = try results(cost(9))
        var again = try results()
        again.figures.removeAll { $0.row != 1 }
        measured.replace(by: again)
        #expect(try measured.figures.count == results().figures.count)
        #expect(measured.differences(from: try results(), isComplete: true).isEmpty)
    }
}

/// The files of a clone that show figures.
@Suite struct PublicationTests {
    /// Copies the files that show figures, changes some, and returns the problems.
    private func problems(_ changes: (file: String, old: String, new: String)...) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Clone-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = Set(
            Publication.articles + Publication.charts + Claim.all.map(\.file)
                + [Publication.baseline, Publication.growth])
        for file in files {
            let target = folder.appendingPathComponent(file)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            var text = try String(
                contentsOf: MeasuredTests.root.appendingPathComponent(file), encoding: .utf8)
            for change in changes where change.file == file {
                #expect(text.contains(change.old), "\(file) has no \(change.old)")
                text = text.replacingOccurrences(of: change.old, with: change.new)
            }
            try text.write(to: target, atomically: true, encoding: .utf8)
        }
        return try Publication(folder: folder.path).problems()
    }

    @Test func unchangedFilesHaveNoProblem() throws {
        #expect(try problems() == [])
    }

    @Test func aTableAndASentenceThatWereEditedAreFound() throws {
        let readme = try problems(("README.md", "| change a number |", "| change any number |"))
        #expect(readme.count == 1 && readme[0].hasPrefix("README.md does not show the figures of"))
        let page = try problems((Publication.measured, "| get of an Int |", "| get of any Int |"))
        #expect(page.count == 1 && page[0].hasPrefix(Publication.measured))
        let chart = try problems((Publication.charts[0], "<title>", "<title>Not "))
        #expect(chart.count == 1 && chart[0].hasPrefix(Publication.charts[0]))
        let bends = try problems((Publication.measured, "\n1. **", "\n**"))
        #expect(
            bends == [
                "\(Publication.measured) explains \(GrowthBend.all.count - 1) bends, and the chart has \(GrowthBend.all.count)."
            ])
        let claim = Claim.all[0]
        let words = try #require(claim.sentence.split(separator: " ").last)
        let sentence = try problems((claim.file, String(words), "second."))
        #expect(sentence.contains { $0.hasPrefix("\(claim.file) does not say") })
    }

    @Test func aSentenceThatTheFiguresDoNotSupportIsFound() throws {
        var results = try Results.read(from: MeasuredTests.root.appendingPathComponent(Publication.baseline).path)
        for claim in Claim.all {
            #expect(claim.problems(in: results) == [])
            #expect(claim.problems(in: Results("Abacus", [])).count == 1)
        }
        for index in results.figures.indices { results.figures[index].value = 1e9 }
        for claim in Claim.all { #expect(!claim.problems(in: results).isEmpty) }
    }

    @Test func aMissedTargetWithoutAnExplanationIsFoundAndOneThatIsExplainedInVain() throws {
        let page = try String(
            contentsOf: MeasuredTests.root.appendingPathComponent(Publication.measured), encoding: .utf8)
        let row = try #require(page.firstMatch(of: #/\n- \*\*Row (\d+)\.\*\*/#)?.1)
        let problems = try problems((Publication.measured, "- **Row \(row).**", "- **Row 99.**"))
        #expect(
            problems == [
                "\(Publication.measured) does not explain the missed target of row \(row).",
                "\(Publication.measured) explains row 99, which misses no target.",
            ])
    }
}

/// The head of a table.
@Suite struct MachineTests {
    @Test func theMachineIsNamedInOneLine() {
        let summary = Machine.summary
        #expect(summary.contains(", \(ProcessInfo.processInfo.activeProcessorCount) core"))
        #expect(!summary.contains("\n"))
        #expect(summary.contains(", Swift 6."))
        #if os(Linux)
            #expect(!summary.contains("unknown"))
            #expect(summary.contains("kernel"))
        #endif
    }

    @Test(arguments: [("/tmp/a/", "ext4"), ("/data/x/", "xfs"), ("/database/", "ext4"), ("/data/deep/x/", "tmpfs")])
    func theInnermostPlaceCountsAndOfSeveralTheLast(_ path: String, _ kind: String) {
        let lines = [
            "none / overlay rw", "/dev/a / ext4 rw 0 0", "/dev/b /data xfs rw 0 0", "none /data/deep tmpfs rw", "cut",
        ]
        #expect(Machine.mountedFileSystem(of: path, in: lines) == kind)
    }
}
