import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@Suite("Transactions that only read files")
struct FileSnapshotTests {
    enum Kind: CaseIterable { case file, readOnlyFile, shared }

    private let a = Setting<Int>("a", in: .defaults, default: 0)
    private let b = Setting<Int>("b", in: .defaults, default: 0)

    /// A store that is written to, and the one that is read.
    private func stores(
        _ kind: Kind, in directory: String
    ) throws -> (writing: any SettingsStore, reading: any SettingsStore) {
        let url = URL(fileURLWithPath: directory + "/Settings.plist")
        switch kind {
        case .file:
            let store = try PropertyListStore(url: url)
            return (store, store)
        case .readOnlyFile:
            return (try PropertyListStore(url: url), try PropertyListStore(url: url, access: .readOnly))
        case .shared:
            let state = URL(fileURLWithPath: directory + "/state")
            let store = try DirectoryStore(at: URL(fileURLWithPath: directory + "/shared"), state: state)
            return (store, store)
        }
    }

    @Test("It returns values of one moment, also of a store that cannot be written", arguments: Kind.allCases)
    func snapshot(kind: Kind) throws {
        try withTemporaryDirectory { directory in
            let (writing, reading) = try stores(kind, in: directory)
            let writer = SettingsService(stores: [.defaults: writing], diagnosticSink: .none)
            let reader = SettingsService(stores: [.defaults: reading], diagnosticSink: .none)
            func write(_ value: Int) throws {
                try writer.save { t in
                    t.set(a, to: value)
                    t.set(b, to: value)
                }
            }
            try write(1)
            var runs = 0
            let values = try reader.save { t throws in
                let first = t.get(a)
                runs += 1
                if runs == 1 { try write(2) }
                return [first, t.get(b)]
            }
            #expect(values == [2, 2] && runs == 2)
        }
    }

    @Test("It does not wait for a process that keeps the files locked")
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
