import SettingsKitCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An error of a system call: the call's name, its path, and the error number.
public struct SystemError: Error, Hashable, Sendable {
    /// The system call, for example `rename`.
    public let call: String
    /// The path of the call.
    public let path: String
    /// The error number, for example `ENOSPC`.
    public let number: Int32

    /// Creates an error.
    public init(call: String, path: String, number: Int32) {
        self.call = call
        self.path = path
        self.number = number
    }
}

extension SystemError: CustomStringConvertible {
    /// The system's message, the call and the path: "No space left on device (write /home/ann/Settings.plist)".
    public var description: String { "\(Self.message(for: number)) (\(call) \(path))" }

    private static func message(for number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(number, &buffer, buffer.count) == 0 else { return "Error \(number)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension SystemError: ValueFreeError {}

extension SystemError {
    /// Whether the error means that the file cannot be written, or that the disk is full.
    package var isAboutWriting: Bool {
        switch number {
        case EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EMFILE, ENFILE: true
        default: false
        }
    }

    /// Whether the error means that there is something other than a directory.
    package var isAboutKind: Bool {
        switch number {
        case ENOTDIR, ELOOP, ENAMETOOLONG: true
        default: false
        }
    }
}

package struct NulInPath: ValueFreeError {
    package init() {}

    package var description: String { "The path contains a NUL character." }
}

package struct NotAFileURL: ValueFreeError {
    package init() {}

    package var description: String { "The URL is not a file URL." }
}
