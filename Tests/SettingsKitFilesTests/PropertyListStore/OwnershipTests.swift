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
        .enabled(if: isRoot))
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
        "A property list keeps mode, owner and group when it is replaced, and the log takes them; a new one is its owner's",
        arguments: [nil, 0o640, 0o666, 0o400] as [UInt16?])
    func kept(mode: UInt16?) throws {
        try withPropertyList { path in
            if let mode {
                try write(xml("<key>a</key><integer>1</integer>"), to: path)
                try #require(chmod(path, mode_t(mode)) == 0)
                if isRoot { try #require(chown(path, 65_534, 65_533) == 0) }
            }
            let owner = mode == nil ? [getuid(), getgid()] : try owner(of: path)
            let store = try open(path)
            for number in 1...3 {
                try store.set(key("a"), to: Data("\(number)".utf8))
                try store.bringUpToDate()
                let expected = mode_t(mode ?? 0o600)
                #expect(try permissions(of: path) == expected && permissions(of: path + "-log") == expected | 0o600)
                for file in [path, path + "-log"] { #expect(try self.owner(of: file) == owner) }
            }
        }
    }

    private func owner(of path: String) throws -> [UInt32] {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return [UInt32(status.st_uid), UInt32(status.st_gid)]
    }
}
