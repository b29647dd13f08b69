import Testing

@testable import SettingsKitPlatform

@Suite("Which file systems report changes")
struct FileSystemKindTests {
    #if canImport(Darwin)
        @Test("APFS and HFS report changes, network file systems do not")
        func names() {
            for name in ["apfs", "hfs"] { #expect(FileSystemKind(name: name) == .reporting) }
            for name in ["nfs", "smbfs", "afpfs", "webdav", "macfuse", ""] {
                #expect(FileSystemKind(name: name) == .silent)
            }
        }
    #else
        @Test(
            "Local file systems report changes",
            arguments: [
                "ext4": 0xEF53, "xfs": 0x5846_5342, "btrfs": 0x9123_683E, "tmpfs": 0x0102_1994, "f2fs": 0xF2F5_2010,
                "zfs": 0x2FC1_2FC1,
            ] as [String: UInt32])
        func reporting(name: String, number: UInt32) {
            #expect(FileSystemKind(number: number) == .reporting, "\(name)")
        }

        @Test(
            "Network file systems, those of programs, cluster file systems, overlays and unknown ones do not",
            arguments: [
                "nfs": 0x6969, "cifs": 0xFF53_4D42, "smb2": 0xFE53_4D42, "fuse": 0x6573_5546, "9p": 0x0102_1997,
                "ceph": 0x00C3_6400, "gfs2": 0x0116_1970, "ocfs2": 0x7461_636F, "vboxsf": 0x786F_4256,
                "overlayfs": 0x794C_7630, "proc": 0x9FA0, "sysfs": 0x6265_6572, "unknown": 0,
            ] as [String: UInt32])
        func silent(name: String, number: UInt32) {
            #expect(FileSystemKind(number: number) == .silent, "\(name)")
        }

        @Test("/proc does not report changes, although a watch there can be added")
        func proc() {
            #expect(FileSystemKind(ofDirectory: "/proc/self") == .silent)
            #expect(FileSystemKind(ofDirectory: "/proc/self/missing/directory") == .silent)
        }
    #endif

    @Test("A directory that is not there is on the file system of the nearest one above it")
    func missing() throws {
        try withTemporaryDirectory { directory in
            #expect(
                FileSystemKind(ofDirectory: "\(directory)/a/b") == FileSystemKind(ofDirectory: directory))
        }
    }
}
