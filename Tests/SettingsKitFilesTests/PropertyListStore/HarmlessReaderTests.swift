import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A process that only reads")
struct HarmlessReaderTests {
    private static let readingCalls: Set<FaultyFileSystem.Call> = [
        .status, .statusOfFile, .destination, .openForReading, .read, .readAt,
    ]

    @Test(
        "A process that only reads never makes a call that writes, locks or lists, even if the files change",
        arguments: [PropertyListStore.Access.readWrite, .readOnly])
    func makesNoCallThat(
        access: PropertyListStore.Access
    ) throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            let fileSystem = FaultyFileSystem()
            var reader: PropertyListStore? = try PropertyListStore(path: path, fileSystem: fileSystem, access: access)
            #expect(reader?.get(key("a")) == Data("1".utf8))
            try write(xml("<key>a</key><integer>22</integer>"), to: path)
            try reader?.refresh()
            #expect(reader?.get(key("a")) == Data("22".utf8))
            try open(path).set(key("b"), to: Data("3".utf8))
            try reader?.refresh()
            #expect(reader?.get(key("b")) == Data("3".utf8))
            try write("no property list", to: path)
            try reader?.refresh()
            if access == .readOnly { try reader?.bringUpToDate() }
            reader = nil
            // A log is opened so that it can be appended to.
            let opening: Set<FaultyFileSystem.Call> = access == .readWrite ? [.openForAppending] : []
            #expect(Set(fileSystem.calls).subtracting(Self.readingCalls) == opening)
        }
    }

    @Test(
        "A process that only reads uses the property list if the log is unreadable, and reports it once",
        .enabled(if: isRoot))
    func isServedTheProperty() async throws {
        try await withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, 0o644) == 0)
            try write("", to: path + "-log")
            try #require(chmod(path + "-log", 0o600) == 0)
            await #expect(processExitsWith: .success) { [path = path as String] in
                guard setuid(65_534) == 0 else { Foundation.exit(2) }
                let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
                let (service, problems) = SettingsService.over(store)
                let setting = Setting<Int>("a", in: .defaults, default: 0)
                guard service.get(setting) == 1 else { Foundation.exit(3) }
                try store.refresh()
                try store.refresh()
                guard problems.codes == [.logUnavailable] else { Foundation.exit(4) }
                do {
                    try service.save(setting, to: 5)
                    Foundation.exit(5)
                } catch {
                    Foundation.exit(service.get(setting) == 1 ? 0 : 6)
                }
            }
        }
    }
}
