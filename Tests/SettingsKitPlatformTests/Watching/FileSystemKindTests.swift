import Testing

@testable import SettingsKitPlatform

@Suite("Which file systems report changes")
struct FileSystemKindTests {
    #if canImport(Darwin)
        @Test("APFS and HFS report changes, network file systems do not")
        func names() {
            for name in ["apfs", "hfs"] { #expect(FileSystemKind(name: name) == .reporting) }
            for name in ["nfs", "smbfs", "afpfs", "webdav", "macfuse", ""] {
                #expect(FileSystemKind(name: name) == .unknown)
            }
        }
    #else
        @Test(
            "Local file systems report changes; network, cluster and unknown ones and those of programs do not",
            arguments: [
                0xEF53: .reporting, 0x5846_5342: .reporting, 0x9123_683E: .reporting, 0x0102_1994: .reporting,
                0x6969: .unknown, 0xFF53_4D42: .unknown, 0x6573_5546: .unknown, 0x00C3_6400: .unknown,
                0x9FA0: .unknown, 0: .unknown, 0x794C_7630: .local,
            ] as [UInt32: FileSystemKind])
        func kind(number: UInt32, expected: FileSystemKind) { #expect(FileSystemKind(number: number) == expected) }

        @Test("/proc does not report changes, although a watch there can be added")
        func proc() {
            #expect(FileSystemKind(ofDirectory: "/proc/self") == .unknown)
            #expect(FileSystemKind(ofDirectory: "/proc/self/missing/directory") == .unknown)
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
