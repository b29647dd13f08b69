import Foundation

/// Sets the limit on the size of files that this process writes.
func limitFileSize(_ limit: inout rlimit) {
    #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
        setrlimit(RLIMIT_FSIZE, &limit)
    #endif
}
