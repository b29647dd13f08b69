#if canImport(Darwin)
    import Foundation
#endif

extension POSIXFileSystem {
    package func requestDownload(of path: String) {
        #if canImport(Darwin)
            do {
                try FileManager.default.startDownloadingUbiquitousItem(at: URL(fileURLWithPath: path))
            } catch {
                // It is no file of iCloud Drive, or there is no account. It stays pending, which is reported.
            }
        #endif
    }
}
