#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension POSIXFileSystem {
    package func extent(of file: FileHandle) throws(SystemError) -> FileExtent {
        #if canImport(Glibc)
            if let extent = try StatusCall.extent(of: file) { return extent }
        #endif
        return FileExtent(try status(of: file))
    }
}

#if canImport(Glibc)
    /// The call `statx`, which returns only the requested fields.
    ///
    /// Swift's module of the C library does not have it. It is missing in a program without dynamic libraries.
    private enum StatusCall {
        private typealias Call =
            @convention(c) (CInt, UnsafePointer<CChar>, CInt, CUnsignedInt, UnsafeMutableRawPointer) -> CInt

        private static let call = dlsym(nil, "statx").map { unsafeBitCast($0, to: Call.self) }

        // From <linux/stat.h> and <linux/fcntl.h>.
        private static let emptyPath: CInt = 0x1000
        private static let (linkCountBit, sizeBit): (CUnsignedInt, CUnsignedInt) = (0x4, 0x200)
        private static let (maskOffset, linkCountOffset, sizeOffset, byteCount) = (0, 16, 40, 256)

        /// - Returns: nil if the call is missing or not allowed here.
        static func extent(of file: FileHandle) throws(SystemError) -> FileExtent? {
            guard let call else { return nil }
            return withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
                guard let start = buffer.baseAddress,
                    POSIXFileSystem.restarting({ call(file.descriptor, "", emptyPath, linkCountBit | sizeBit, start) })
                        == 0
                else { return nil }
                let found = start.load(fromByteOffset: maskOffset, as: UInt32.self)
                guard found & linkCountBit != 0, found & sizeBit != 0 else { return nil }
                return FileExtent(
                    size: Int64(clamping: start.load(fromByteOffset: sizeOffset, as: UInt64.self)),
                    linkCount: UInt64(start.load(fromByteOffset: linkCountOffset, as: UInt32.self)))
            }
        }
    }
#endif
