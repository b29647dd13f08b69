import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("Falsified numbers with right checksums", .ownThreads)
struct FalsifiedNumberTests {
    static let edges: [UInt64] = [1 << 40, 1 << 40 + 1, 1 << 63 - 1, 1 << 63, .max - 48, .max]

    @Test("A number at its limit anywhere in a journal ends no process that opens or follows it", arguments: edges)
    func journal(edge: UInt64) async {
        await #expect(processExitsWith: .success) { [edge = edge as UInt64] in
            for place in stride(from: 0, to: 400, by: Rounds.choose(3, full: 1)) {
                try falsify(inPlace: place.isMultiple(of: 2)) { list, journal in
                    JournalForging.put(edge, at: place, in: &journal)
                }
            }
        }
    }

    @Test(
        "A number at its limit in the mark of a property list ends no process that opens or follows it",
        arguments: edges)
    func mark(edge: UInt64) async {
        await #expect(processExitsWith: .success) { [edge = edge as UInt64] in
            for isInPlace in [true, false] {
                try falsify(inPlace: isInPlace) { list, _ in list = JournalForging.withMark(of: list, at: edge) }
            }
        }
    }
}

/// Changes the files that two stores have open, of which one has not read everything, makes their checks right, and lets
/// these two and a third use them.
private func falsify(inPlace: Bool, _ change: (inout [UInt8], inout [UInt8]) -> Void) throws {
    let (path, journalPath) = ("/Settings.plist", "/Settings.plist-journal")
    let key = SettingsService.StorageKey("a", scope: .defaults)
    let disk = SimulatedDisk()
    func open() throws -> PropertyListStore {
        try PropertyListStore(path: path, fileSystem: disk.process(), writingDelay: .seconds(3600), patience: .zero)
    }
    let writer = try open()
    try writer.set(key, to: Data("1".utf8))
    try writer.bringUpToDate()
    let reader = try open()
    try writer.set(key, to: Data("2".utf8))
    try writer.bringUpToDate()
    try writer.set(key, to: Data("3".utf8))
    var list = Array(disk.contents(of: path) ?? Data())
    var journal = Array(disk.contents(of: journalPath) ?? Data())
    change(&list, &journal)
    list = JournalForging.withRightMark(list)
    journal = JournalForging.withRightChecks(journal)
    for (path, bytes) in [(path, list), (journalPath, journal)] where disk.contents(of: path) != Data(bytes) {
        if inPlace { try disk.write(Data(bytes), to: path) } else { try disk.replace(path, with: Data(bytes)) }
    }
    var stores = [reader, writer]
    // An error is an answer; only the end of the process is not.
    do { stores.append(try open()) } catch is SettingsError {}
    for store in stores {
        do {
            try store.refresh()
            try store.set(key, to: Data("4".utf8))
            try store.bringUpToDate()
        } catch is SettingsError {
        } catch is any ValueFreeError {}
    }
}
