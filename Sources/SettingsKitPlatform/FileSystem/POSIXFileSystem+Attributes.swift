#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension POSIXFileSystem {
    package func attributes(of path: String) -> [FileAttribute] {
        guard let list = ExtendedAttributes.bytes({ ExtendedAttributes.list(path, $0, $1) }) else { return [] }
        let names = FileAttribute.names(in: list).filter(ExtendedAttributes.isKept)
        return protectionClass(of: path)
            + names.compactMap { name in
                ExtendedAttributes.bytes({ ExtendedAttributes.get(path, name, $0, $1) })
                    .map { .extended(name: name, value: $0) }
            }
    }

    @discardableResult
    package func setAttribute(_ attribute: FileAttribute, of file: FileHandle) -> Bool {
        switch attribute {
        case .extended(let name, let value): return ExtendedAttributes.set(file.descriptor, name, value) == 0
        case .protectionClass(let number):
            #if canImport(Darwin)
                return fcntl(file.descriptor, F_SETPROTECTIONCLASS, number) == 0
            #else
                return false
            #endif
        }
    }

    #if os(macOS)
        private static let isMac = true
    #elseif canImport(Darwin)
        private static let isMac = false
    #endif

    /// The class of Apple's data protection, if there is one.
    private func protectionClass(of path: String) -> [FileAttribute] {
        #if canImport(Darwin)
            do throws(SystemError) {
                let file = try openForReading(path, followingLink: false)
                defer { close(file) }
                let number = fcntl(file.descriptor, F_GETPROTECTIONCLASS)
                return number > 0 ? [.protectionClass(number)] : []
            } catch {
                // Only files of the strictest class, 1, cannot be opened while a device is locked.
                return error.number == EPERM && !Self.isMac ? [.protectionClass(1)] : []
            }
        #else
            return []
        #endif
    }
}

/// The system's calls for extended attributes. A symbolic link at a path is not followed.
private enum ExtendedAttributes {
    /// Calls a function of the system once for the size of its answer, and again for the answer.
    ///
    /// - Returns: nil if it fails, if the answer is too long, or if it has grown in between.
    static func bytes(_ call: (UnsafeMutableRawPointer?, Int) -> Int) -> [UInt8]? {
        let size = call(nil, 0)
        guard size > 0 else { return size == 0 ? [] : nil }
        guard size <= PlatformLimits.attributeSize else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = bytes.withUnsafeMutableBytes { call($0.baseAddress, size) }
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    #if canImport(Darwin)
        static func list(_ path: String, _ buffer: UnsafeMutableRawPointer?, _ size: Int) -> Int {
            listxattr(path, buffer?.assumingMemoryBound(to: CChar.self), size, XATTR_NOFOLLOW)
        }

        static func get(_ path: String, _ name: String, _ buffer: UnsafeMutableRawPointer?, _ size: Int) -> Int {
            getxattr(path, name, buffer, size, 0, XATTR_NOFOLLOW)
        }

        static func set(_ descriptor: Int32, _ name: String, _ value: [UInt8]) -> Int32 {
            fsetxattr(descriptor, name, value, value.count, 0, 0)
        }

        /// Excludes those of a cloud's file provider, which identify the old file.
        static func isKept(_ name: String) -> Bool {
            !["com.apple.fileprovider.", "com.apple.icloud.", "com.apple.ubd."].contains { name.hasPrefix($0) }
        }
    #else
        // Swift's modules of the C library do not have these functions. They are missing in a program without dynamic libraries.
        private typealias List = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
        private typealias Get =
            @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
        private typealias Set =
            @convention(c) (CInt, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt

        private static let systemList = dlsym(nil, "llistxattr").map { unsafeBitCast($0, to: List.self) }
        private static let systemGet = dlsym(nil, "lgetxattr").map { unsafeBitCast($0, to: Get.self) }
        private static let systemSet = dlsym(nil, "fsetxattr").map { unsafeBitCast($0, to: Set.self) }

        static func list(_ path: String, _ buffer: UnsafeMutableRawPointer?, _ size: Int) -> Int {
            systemList?(path, buffer, size) ?? -1
        }

        static func get(_ path: String, _ name: String, _ buffer: UnsafeMutableRawPointer?, _ size: Int) -> Int {
            systemGet?(path, name, buffer, size) ?? -1
        }

        static func set(_ descriptor: Int32, _ name: String, _ value: [UInt8]) -> Int32 {
            systemSet?(descriptor, name, value, value.count, 0) ?? -1
        }

        /// Includes those of users and programs. The others are the system's: labels, and access lists that belong to
        /// permissions.
        static func isKept(_ name: String) -> Bool { name.hasPrefix("user.") }
    #endif
}
