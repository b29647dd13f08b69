#if canImport(Darwin)
    import Darwin
    import Foundation
#endif

extension POSIXFileSystem {
    package func coordinate(_ access: CoordinatedAccess, of path: String, _ body: () -> Void) {
        #if canImport(Darwin)
            let url = URL(fileURLWithPath: path)
            // The directory is asked, because the file may be new.
            guard FileManager.default.isUbiquitousItem(at: url.deletingLastPathComponent()) else { return body() }
            let coordinator = NSFileCoordinator(filePresenter: nil)
            var isDone = false
            func perform(_: URL) {
                isDone = true
                body()
            }
            switch access {
            case .reading:
                coordinator.coordinate(readingItemAt: url, options: .withoutChanges, error: nil, byAccessor: perform)
            case .replacing:
                coordinator.coordinate(writingItemAt: url, options: .forReplacing, error: nil, byAccessor: perform)
            }
            // Without coordination, the file is used as in any other directory: it is replaced as a whole, and its lines are
            // checked.
            if !isDone { body() }
        #else
            body()
        #endif
    }

    package func requestDownload(of path: String) {
        #if canImport(Darwin)
            do {
                try FileManager.default.startDownloadingUbiquitousItem(at: URL(fileURLWithPath: path))
            } catch {
                // The file is not in iCloud Drive, or there is no account. It stays pending, which is reported.
            }
        #endif
    }

    package func protect(_ file: FileHandle, like path: String) {
        #if canImport(Darwin)
            do throws(SystemError) {
                let old = try openForReading(path, followingLink: false)
                defer { close(old) }
                let number = fcntl(old.descriptor, F_GETPROTECTIONCLASS)
                if number > 0 { _ = fcntl(file.descriptor, F_SETPROTECTIONCLASS, number) }
            } catch {
                #if !os(macOS)
                    // Only files of the strictest class, 1, cannot be opened while a device is locked.
                    if error.number == EPERM { _ = fcntl(file.descriptor, F_SETPROTECTIONCLASS, 1) }
                #endif
            }
        #endif
    }
}
