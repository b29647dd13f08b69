import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("With a damaged state", .timeLimit(.minutes(5)))
    struct DamagedStateTests {
        /// The property lists of the state folder.
        private func lists(_ fleet: Fleet) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: fleet.stateFolder.path).filter {
                $0.hasSuffix(".plist")
            }
            .map { fleet.stateFolder.path + "/" + $0 }
        }

        @Test(
            "Damaged files are reported and kept aside, and the program goes on",
            arguments: ["nothing that is a property list", "<plist version=\"1.0\"><dict><key>pending:1</key>"])
        func damaged(text: String) async throws {
            try await Fleet.with { fleet in
                let first = try fleet.store { $0.patience = .seconds(1) }
                try first.save("a", "1")
                fleet.server.kill(0)
                try await until { !first.isConnected }
                try first.put("b", "2")
                first.close()
                let files = try lists(fleet)
                #expect(!files.isEmpty)
                for file in files {
                    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
                    for suffix in ["-journal", "-previous"] {
                        let beside = file + suffix
                        if FileManager.default.fileExists(atPath: beside) {
                            try FileManager.default.removeItem(atPath: beside)
                        }
                    }
                }
                try fleet.server.start(0)
                let problems = Recorder<SettingsError>()
                let store = try fleet.store { $0.patience = .seconds(20) }
                let settings = SettingsService.fleet(store, problems)
                try store.synchronize()
                #expect(store.text("a") == "1")
                let damaged = problems.all.filter { $0.code == .damaged }.compactMap(\.store)
                for file in files { #expect(damaged.contains { $0.contains(file) }, "\(file)") }
                let names = try FileManager.default.contentsOfDirectory(atPath: fleet.stateFolder.path)
                for file in files {
                    let name = URL(fileURLWithPath: file).lastPathComponent + ".damaged-"
                    let aside = try #require(names.first { $0.hasPrefix(name) })
                    #expect(try Data(contentsOf: fleet.stateFolder.appendingPathComponent(aside)) == Data(text.utf8))
                }
                withExtendedLifetime(settings) {}
            }
        }

        @Test("An accepted change that cannot be read is reported, and its file is kept aside")
        func unreadableChange() async throws {
            try await Fleet.with { fleet in
                let first = try fleet.store { $0.patience = .seconds(1) }
                fleet.server.kill(0)
                try await until { !first.isConnected }
                try first.put("a", "1")
                try first.put("b", "2")
                first.close()
                for file in try lists(fleet) {
                    let list = try PropertyListStore(url: URL(fileURLWithPath: file))
                    let key = SettingsService.StorageKey("pending:1", scope: .defaults)
                    guard list.get(key) != nil else { continue }
                    try list.set(key, to: Data("\"torn\"".utf8))
                    try list.synchronize()
                }
                try fleet.server.start(0)
                let problems = Recorder<SettingsError>()
                let store = try fleet.store { $0.patience = .seconds(20) }
                let settings = SettingsService.fleet(store, problems)
                try store.synchronize()
                #expect(store.text("a") == nil && store.text("b") == "2")
                #expect(problems.codes.filter { $0 == .damaged }.count == 1)
                let names = try FileManager.default.contentsOfDirectory(atPath: fleet.stateFolder.path)
                #expect(names.filter { $0.contains(".damaged-") }.count == 1)
                store.close()
                let others = Recorder<SettingsError>()
                let next = SettingsService.fleet(try fleet.store(), others)
                #expect(!others.codes.contains(.damaged))
                withExtendedLifetime((settings, next)) {}
            }
        }
    }
}
