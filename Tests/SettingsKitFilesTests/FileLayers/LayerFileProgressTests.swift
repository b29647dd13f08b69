import SettingsKitPlatform
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

/// A progress whose functions an expectation can call.
private final class Progress {
    private var progress = LayerFileProgress()

    func step(for state: LayerFilesState, isOld: Bool) -> LayerFileProgress.Step {
        progress.step(for: state, isOld: isOld)
    }

    func record(_ state: LayerFilesState) -> Bool { progress.record(state) }

    func record(_ problem: String, in state: LayerFilesState?) -> Bool { progress.record(problem, in: state) }
}

@Suite("When the files of a layer are read")
struct LayerFileProgressTests {
    private func state(_ size: Int64) -> LayerFilesState {
        let time = FileStatus.Timestamp(seconds: 0, nanoseconds: 0)
        let status = FileStatus(
            kind: .file, device: 1, inode: 1, size: size, modified: time, changed: time, linkCount: 1)
        return LayerFilesState(files: ["": .present(status)])
    }

    @Test("A change is read when two looks have found the same, whatever an editor does in between")
    func settling() {
        let progress = Progress()
        #expect(progress.record(state(1)))
        #expect(progress.step(for: state(1), isOld: false) == .nothing)
        // The old file is renamed away, the new one is written in two pieces.
        for (found, step) in [
            (LayerFilesState(), LayerFileProgress.Step.wait), (state(0), .wait), (state(5), .wait), (state(9), .wait),
            (state(9), .read),
        ] { #expect(progress.step(for: found, isOld: false) == step) }
        _ = progress.record(state(9))
        #expect(progress.step(for: state(9), isOld: false) == .nothing)
        // A file that changes and is the same again needs no reading.
        #expect(progress.step(for: state(8), isOld: false) == .wait)
        #expect(progress.step(for: state(9), isOld: false) == .nothing)
        #expect(progress.step(for: state(8), isOld: false) == .wait)
    }

    @Test("Files that change all the time are read after some moments")
    func restless() {
        let progress = Progress()
        _ = progress.record(state(0))
        let steps = (1...20).map { progress.step(for: state($0), isOld: false) }
        #expect(steps == Array(repeating: .wait, count: 10) + Array(repeating: .readSoon, count: 10))
        _ = progress.record(state(21))
        #expect(progress.step(for: state(22), isOld: false) == .wait)
    }

    @Test("Files are read once more when their times show every change")
    func rereading() {
        let progress = Progress()
        #expect(progress.record(state(1)))
        #expect(progress.step(for: state(1), isOld: false) == .nothing)
        #expect(progress.step(for: state(1), isOld: true) == .read)
        #expect(!progress.record(state(1)))
        #expect(progress.step(for: state(1), isOld: true) == .nothing)
    }

    @Test("An error is reported once, and files whose error may pass are read again")
    func problems() {
        let progress = Progress()
        _ = progress.record(state(1))
        #expect(progress.record("a", in: state(2)))
        #expect(!progress.record("a", in: state(2)))
        #expect(progress.step(for: state(2), isOld: true) == .nothing)
        #expect(progress.record("b", in: nil))
        #expect(progress.step(for: state(2), isOld: true) == .wait)
        #expect(progress.step(for: state(2), isOld: true) == .read)
        _ = progress.record(state(2))
        #expect(progress.record("b", in: state(3)))
    }
}
