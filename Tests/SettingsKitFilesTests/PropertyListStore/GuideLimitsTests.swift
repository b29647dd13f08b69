import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("The limits in the guide")
struct GuideLimitsTests {
    private let guide: Guide

    init() throws { guide = try Guide("Limits") }

    private func expect(_ row: String, _ start: String, _ location: SourceLocation = #_sourceLocation) {
        let cell = guide.row(row)?.first
        #expect(cell?.hasPrefix(start) == true, "\(row): \(cell ?? "no such row")", sourceLocation: location)
    }

    private func mebibytes(_ bytes: some BinaryInteger) -> String { "\(bytes >> 20) MiB" }

    @Test("The guide's limits of a property list are those of the code")
    func propertyList() {
        let limits = PropertyListStoreLimits()
        expect("names and values together", mebibytes(limits.contents))
        expect("the file", "\(PropertyListLimits.fileSize >> 30) GiB")
        expect("levels of arrays and dictionaries", "\(PropertyListLimits.depth)")
        expect("the log", "\(LogLimits.size >> 30) GiB")
        expect("the name of the file", "what the system allows; from \(PlatformLimits.longestOwnName) bytes on")
    }

    @Test("The guide's limits of a shared directory are those of the code")
    func sharedDirectory() {
        expect("all settings of a replica", mebibytes(DirectoryLimits.fileSize))
        expect("files in the directory", grouped(DirectoryLimits.files))
    }

    @Test("The guide's times are those of the code")
    func times() {
        expect("the same on a network file system", "\(seconds(PropertyListTimings.pollInterval))")
        #expect(DirectoryLimits.pollInterval == PropertyListTimings.pollInterval)
        expect("a writer waits for a lock", "\(PropertyListStore.defaultPatience / .seconds(1)) seconds")
        expect(
            "a change is in the property list", "\(PrintingPace.quietTime(ofSize: 65_536) / .seconds(1)) quiet seconds")
        let rate = Int(PropertyListTimings.steadyRate)
        expect(
            "the same while changes go on",
            "\(seconds(PropertyListTimings.shortestLag)), or \(rate) bytes of the file a second"
        )
        expect("an idle process wakes", "once in \(seconds(PlatformTimings.roundPause))")
    }

    private func seconds(_ duration: Duration) -> String { "\(Int(duration / .seconds(1))) seconds" }

    private func grouped(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : "\(number / 1_000),\(String(number % 1_000 + 1_000).dropFirst())"
    }
}
