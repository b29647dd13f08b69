// What Apple's overlay adds to the C declarations of Darwin: macros and functions with variable arguments that Swift imports in
// no other way.
@_exported import Darwin
public var errno: Int32 { get { fatalError() } set { fatalError() } }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ command: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ command: Int32, _ value: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ command: Int32, _ pointer: UnsafeMutableRawPointer) -> Int32 { fatalError() }
public func ioctl(_ fd: Int32, _ request: UInt) -> Int32 { fatalError() }
public func ioctl(_ fd: Int32, _ request: UInt, _ value: Int32) -> Int32 { fatalError() }
public func ioctl(_ fd: Int32, _ request: UInt, _ pointer: UnsafeMutableRawPointer) -> Int32 { fatalError() }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IRWXU: mode_t { 0o700 }
public var S_IRUSR: mode_t { 0o400 }
public var S_IWUSR: mode_t { 0o200 }
public var S_IXUSR: mode_t { 0o100 }
public var S_IRWXG: mode_t { 0o070 }
public var S_IRWXO: mode_t { 0o007 }
public var SIG_DFL: (@convention(c) (Int32) -> Void)? { nil }
public var SIG_IGN: @convention(c) (Int32) -> Void { fatalError() }
public var MAP_FAILED: UnsafeMutableRawPointer { fatalError() }
public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { fatalError() }
public var TIOCGWINSZ: UInt { 0x4008_7468 }
public var RTLD_DEFAULT: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: -2) }
public enum POSIXErrorCode: Int32, Sendable {
    case EADDRINUSE = 48
    case EPERM = 1, ENOENT, EINTR = 4, EIO, EBADF = 9, EAGAIN = 35, ENOMEM = 12, EACCES, EBUSY = 16, EEXIST, EXDEV, ENOTDIR = 20
    case EISDIR, EINVAL, ENFILE, EMFILE, ENOTTY, EFBIG = 27, ENOSPC, EROFS = 30, EPIPE = 32, ELOOP = 62, ENAMETOOLONG, ENOTEMPTY = 66
    case EDQUOT = 69
}
public let CLOCK_REALTIME = clockid_t(rawValue: 0)
public let CLOCK_MONOTONIC = clockid_t(rawValue: 6)
public let CLOCK_MONOTONIC_RAW = clockid_t(rawValue: 4)
public let CLOCK_MONOTONIC_RAW_APPROX = clockid_t(rawValue: 5)
public let CLOCK_PROCESS_CPUTIME_ID = clockid_t(rawValue: 12)
public let CLOCK_THREAD_CPUTIME_ID = clockid_t(rawValue: 16)
public let CLOCK_UPTIME_RAW = clockid_t(rawValue: 8)
