#if canImport(Glibc)
    import Glibc
#else
    import Darwin
    import Foundation
#endif

/// The kind of a directory's file system.
///
/// An accepted watch proves nothing: `/proc`, network file systems and those of a program (FUSE) accept it, and then report
/// little or nothing.
enum FileSystemKind: Equatable {
    /// Every change is made by this machine's kernel, which reports it.
    case reporting
    /// Every change is made by this machine's kernel, which may not report it.
    case local
    /// Other machines or programs may change it without the kernel's knowledge, or that is unknown.
    case unknown

    #if canImport(Darwin)
        /// The kind of file system that the system calls by this name (`volumeTypeName` of a URL).
        init(name: String) { self = ["apfs", "hfs"].contains(name) ? .reporting : .unknown }
    #else
        /// The kind of file system with this number (`f_type` of `statfs`, see `linux/magic.h`).
        init(number: UInt32) {
            // Watches of overlayfs have been seen to fall silent when the kernel needed memory.
            self = Self.reportingNumbers.contains(number) ? .reporting : number == 0x794C_7630 ? .local : .unknown
        }

        /// The local ones. Not FUSE, NFS, SMB, 9p, Ceph, cluster file systems or `/proc`.
        private static let reportingNumbers: Set<UInt32> = [
            0x0000_EF53,  // ext2, ext3, ext4
            0x5846_5342,  // XFS
            0x9123_683E,  // Btrfs
            0x0102_1994,  // tmpfs
            0x8584_58F6,  // ramfs
            0xF2F5_2010,  // F2FS
            0xCA45_1A4E,  // bcachefs
            0x2FC1_2FC1,  // ZFS
            0x3153_464A,  // JFS
            0x5265_4973,  // ReiserFS
            0x0000_3434,  // NILFS
            0x0000_4D44,  // FAT
            0x2011_BAB0,  // exFAT
            0x7366_746E,  // NTFS
        ]
    #endif

    /// The kind of the file system of a directory, or of the nearest existing one above it.
    init(ofDirectory path: String) {
        var path = path
        while true {
            if let kind = Self.ask(path) {
                self = kind
                return
            }
            guard errno == ENOENT || errno == ENOTDIR, path != "/", path != "." else {
                self = .unknown
                return
            }
            path = WholeFile.split(path).directory
        }
    }

    #if canImport(Darwin)
        // Not statfs: an app must declare a reason for its use, and none of the permitted reasons fits.
        private static func ask(_ path: String) -> FileSystemKind? {
            guard access(path, F_OK) == 0 else { return nil }
            let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [.volumeTypeNameKey])
            return FileSystemKind(name: values?.volumeTypeName ?? "")
        }
    #else
        // The toolchain's module of the C library lacks it, and `statvfs` does not say what kind of file system it is.
        private typealias StatFS = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer) -> CInt

        private static let statfs = dlsym(nil, "statfs").map { unsafeBitCast($0, to: StatFS.self) }

        private static func ask(_ path: String) -> FileSystemKind? {
            // In a program without dynamic libraries.
            guard let statfs else { return .unknown }
            // The structure has 120 bytes, and begins with a machine word, the file system's number.
            return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { buffer in
                guard let start = buffer.baseAddress, statfs(path, start) == 0 else { return nil }
                return FileSystemKind(number: UInt32(truncatingIfNeeded: start.load(as: UInt.self)))
            }
        }
    #endif
}
