#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Identifies the contents of a file, wherever the file is.
package struct FileDigest: Sendable, Equatable {
    package var size: Int64
    /// The CRC-32C of the bytes.
    package var checksum: UInt32

    package init(size: Int64, checksum: UInt32) { (self.size, self.checksum) = (size, checksum) }

    init(_ bytes: Data) {
        self.init(size: Int64(bytes.count), checksum: bytes.withUnsafeBytes { CRC32C.checksum($0) })
    }
}
