#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A process that has the lock of a file.
package struct LockHolder: Sendable, Equatable {
    package var process: Int32
    /// The name of the process; nil if it is unknown.
    package var name: String?
}

extension FileSystem {
    package func isImmutable(_ path: String) -> Bool { false }
    package func lockHolder(of path: String) -> LockHolder? { nil }
}

/// The obstacles to writing a file, for inspections.
extension POSIXFileSystem {
    package func isImmutable(_ path: String) -> Bool {
        #if canImport(Darwin)
            var status = stat()
            return lstat(path, &status) == 0 && status.st_flags & UInt32(UF_IMMUTABLE | SF_IMMUTABLE) != 0
        #else
            // Missing permissions are EACCES.
            return access(path, W_OK) != 0 && errno == EPERM
        #endif
    }

    package func lockHolder(of path: String) -> LockHolder? {
        #if canImport(Darwin)
            return nil
        #else
            var status = stat()
            guard stat(path, &status) == 0, let locks = Self.text(ofFile: "/proc/locks") else { return nil }
            let (major, minor) = (status.st_dev >> 8 & 0xFFF, status.st_dev & 0xFF | status.st_dev >> 12 & 0xFFF00)
            func digits(_ number: UInt) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }
            let file = "\(digits(UInt(major))):\(digits(UInt(minor))):\(status.st_ino)"
            for line in locks.split(separator: "\n") {
                // 1: FLOCK  ADVISORY  WRITE 4711 fe:00:131084 0 EOF
                let fields = line.split(separator: " ")
                guard fields.count >= 6, fields[1] == "FLOCK", fields[5] == file, let process = Int32(fields[4]) else {
                    continue
                }
                let name = Self.text(ofFile: "/proc/\(process)/comm")?.split(separator: "\n").first
                return LockHolder(process: process, name: name.map(String.init))
            }
            return nil
        #endif
    }

    #if !canImport(Darwin)
        /// The text of a file of the system.
        private static func text(ofFile path: String) -> String? {
            guard let file = fopen(path, "r") else { return nil }
            defer { fclose(file) }
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = fread(&buffer, 1, buffer.count, file), count > 0, bytes.count < 16 << 20 {
                bytes += buffer.prefix(count)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    #endif
}
