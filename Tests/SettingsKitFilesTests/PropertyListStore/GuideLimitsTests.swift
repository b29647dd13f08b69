import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("The limits in the guide")
struct GuideLimitsTests {
    private let guide: Guide

    init() throws { guide = try Guide("Limits") }

    @Test("The guide's limits and times are those of the code")
    func rows() {
        func mebibytes(_ bytes: some BinaryInteger) -> String { "\(bytes >> 20) MiB" }
        func gibibytes(_ bytes: some BinaryInteger) -> String { "\(bytes >> 30) GiB" }
        func seconds(_ duration: Duration) -> String { "\(Int(duration / .seconds(1))) seconds" }
        let rate = Int(PropertyListTimings.steadyRate)
        let rows = [
            "names and values together": mebibytes(PropertyListStoreLimits().contents),
            "the file": gibibytes(PropertyListLimits.fileSize),
            "levels of arrays and dictionaries": "\(PropertyListLimits.depth)",
            "the log": gibibytes(LogLimits.size),
            "all settings of a replica": mebibytes(DirectoryLimits.fileSize),
            "files in the directory": DirectoryLimits.files == 2_000 ? "2,000" : "another number",
            "the same on a network file system": seconds(PropertyListTimings.pollInterval),
            "a writer waits for a lock": "\(PropertyListStore.defaultPatience / .seconds(1)) seconds",
            "a change is in the property list": "\(PrintingPace.quietTime(ofSize: 65_536) / .seconds(1)) quiet seconds",
            "the same while changes go on":
                "\(seconds(PropertyListTimings.shortestLag)), or \(rate) bytes of the file a second",
            "an idle process wakes": "once in \(seconds(PlatformTimings.roundPause))",
        ]
        for (row, start) in rows {
            #expect(guide.row(row)?.first?.hasPrefix(start) == true, "\(row)")
        }
        #expect(DirectoryLimits.pollInterval == PropertyListTimings.pollInterval)
    }
}
