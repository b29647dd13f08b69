import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("The files of a property list")
struct OwnershipTests {
    @Test(
        "The files of a property list can be used by their owner, whatever the umask",
        arguments: [0o777, 0o277, 0o077] as [UInt32])
    func canBeUsedBy(mask: UInt32) async throws {
        try await withTemporaryDirectory { directory in
            try #require(chmod(directory, 0o777) == 0)
            await #expect(processExitsWith: .success) { [directory = directory as String, mask = mask as UInt32] in
                // The superuser may open everything.
                guard getuid() != 0 || setuid(65_534) == 0 else { Foundation.exit(2) }
                umask(mode_t(mask))
                let url = URL(fileURLWithPath: directory + "/new/deep/Settings.plist")
                do {
                    let store = try PropertyListStore(url: url)
                    try store.set(.init("a", scope: .defaults), to: Data("1".utf8))
                    try store.bringUpToDate()
                }
                let again = try PropertyListStore(url: url)
                Foundation.exit(again.get(.init("a", scope: .defaults)) == Data("1".utf8) ? 0 : 3)
            }
            #expect(try permissions(of: directory + "/new/deep") == 0o700)
            #expect(try permissions(of: directory + "/new/deep/Settings.plist") == 0o600)
            #expect(try permissions(of: directory + "/new/deep/Settings.plist-log") == 0o600)
        }
    }

    @Test(
        "The files of a property list belong to the user whose directory it is, when root's program writes them",
        .enabled(if: Program.isRoot))
    func belongToTheUser() throws {
        try withTemporaryDirectory { directory in
            try #require(chown(directory, 65_534, 65_533) == 0)
            let path = directory + "/new/deep/Settings.plist"
            let store = try open(path)
            for number in 1...3 {
                try store.set(key("a"), to: Data("\(number)".utf8))
                try store.bringUpToDate()
            }
            for made in ["/new", "/new/deep", "/new/deep/Settings.plist", "/new/deep/Settings.plist-log"] {
                #expect(try owner(of: directory + made) == [65_534, 65_533], "\(made)")
            }
        }
    }

    @Test(
        "The files of a property list keep mode, owner and group when root's program replaces them, and the log takes them",
        .enabled(if: Program.isRoot))
    func keepModeOwnerAnd() throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, 0o640) == 0 && chown(path, 65_534, 65_533) == 0)
            let store = try open(path)
            for number in 1...3 {
                try store.set(key("a"), to: Data("\(number)".utf8))
                try store.bringUpToDate()
                for file in [path, path + "-log"] {
                    #expect(try owner(of: file) == [65_534, 65_533])
                    #expect(try permissions(of: file) == 0o640)
                }
            }
        }
    }

    @Test(
        "The files of a property list have no descriptor of the standard streams, and what a program prints does not get into them"
    )
    func haveNoDescriptorOf()
        async throws
    {
        try await withTemporaryDirectory { (directory: String) async throws in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                for descriptor in 0...2 as ClosedRange<Int32> { close(descriptor) }
                let url = URL(fileURLWithPath: directory + "/Settings.plist")
                let store = try PropertyListStore(url: url)
                let service = SettingsService(stores: [.defaults: store], diagnosticSink: .init { _ in })
                let subscription = service.observe(Setting<Int>("a", in: .defaults, default: 0)) { _ in }
                for number in 0..<50 {
                    try store.set(.init("a", scope: .defaults), to: Data("\(number)".utf8))
                    print("this must not be written into the library's files")
                    if number % 5 == 0 { try store.bringUpToDate() }
                    for descriptor in 0...2 as ClosedRange<Int32> {
                        var status = stat()
                        // What the system's own libraries open there is no file.
                        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
                        if isFile { Foundation.exit(10 + descriptor) }
                    }
                }
                try store.bringUpToDate()
                withExtendedLifetime(subscription) {}
                Foundation.exit(0)
            }
            #expect(try members(of: directory + "/Settings.plist") == ["a": .integer(49)])
            #expect(try names(in: directory) == ["Settings.plist"])
        }
    }

    private func owner(of path: String) throws -> [UInt32] {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return [UInt32(status.st_uid), UInt32(status.st_gid)]
    }
}
