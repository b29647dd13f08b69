import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@Suite("Transactions that only read files")
struct FileSnapshotTests {
    private let a = Setting<Int>("a", in: .defaults, default: 0)
    private let b = Setting<Int>("b", in: .defaults, default: 0)

    @Test("They return values of one moment of a store that cannot be written")
    func snapshot() throws {
        try withTemporaryDirectory { directory in
            let url = URL(fileURLWithPath: directory + "/Settings.plist")
            let writer = SettingsService(defaults: try PropertyListStore(url: url))
            let reader = SettingsService(defaults: try PropertyListStore(url: url, access: .readOnly))
            var runs = 0
            let values = try reader.save { t throws in
                let first = t.get(a)
                runs += 1
                if runs == 1 {
                    try writer.save { t in
                        t.set(a, to: 2)
                        t.set(b, to: 2)
                    }
                }
                return [first, t.get(b)]
            }
            #expect(values == [2, 2] && runs == 2)
        }
    }

    @Test("They do not wait for a process that keeps the files locked")
    func lockedFiles() throws {
        try withTemporaryDirectory { directory in
            let store = try PropertyListStore(
                url: URL(fileURLWithPath: directory + "/Settings.plist"), patience: .zero)
            let settings = SettingsService(defaults: store, diagnosticSink: .none)
            try settings.save(a, to: 1)
            // As another process does, whichever file is the one that is locked.
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: directory).map { name in
                open(directory + "/" + name, O_RDWR | O_CLOEXEC)
            }
            for descriptor in descriptors { #expect(flock(descriptor, LOCK_EX) == 0) }
            #expect(thrownCode { try settings.save(a, to: 2) } == .busy)
            #expect(try settings.save { [$0.get(a), $0.get(b)] } == [1, 0])
            for descriptor in descriptors { close(descriptor) }
            try settings.save(a, to: 2)
        }
    }
}
