import SettingsKitPlatform

/// A state of a file, and the check of its contents.
package struct FileVersion: Sendable, Equatable {
    package var status: FileStatus
    /// The CRC-32C of its bytes.
    package var checksum: UInt32

    package init(status: FileStatus, checksum: UInt32) {
        self.status = status
        self.checksum = checksum
    }

    var digest: FileDigest { FileDigest(size: status.size, checksum: checksum) }
}

/// Identifies the contents of a file, wherever the file is.
package struct FileDigest: Sendable, Equatable {
    package var size: Int64
    package var checksum: UInt32

    package init(size: Int64, checksum: UInt32) {
        self.size = size
        self.checksum = checksum
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension FileVersion {
    init(status: FileStatus, bytes: Data) {
        self.init(status: status, checksum: bytes.withUnsafeBytes { CRC32C.checksum($0) })
    }
}
