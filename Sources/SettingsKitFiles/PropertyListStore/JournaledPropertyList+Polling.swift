import SettingsKitCore
import SettingsKitPlatform

/// Notices what other processes and programs write.
///
/// Watching starts with the first listener or write, or a moment after opening: a process that reads and exits does
/// without. What has changed since opening is read then.
extension JournaledPropertyList: ChangeMonitored {
    /// How long a store without a listener or a write goes without a watch.
    static let watchingDelay = Duration.milliseconds(200)
    /// How long a change may stay unnoticed where the file system may not report it.
    static let pollInterval = Duration.seconds(2)
    /// The time between two announcements.
    static let announcementPause = Duration.milliseconds(1)

    /// The property list, its journal, and symbolic links that lead to them.
    var monitoredPlaces: [ChangeMonitor.Place] {
        let files = Self.links(from: path, in: fileSystem)
        let journal = FilesBeside.journal(files.last ?? path)
        watchedJournal.value = journal
        return Self.places(of: files + [journal])
    }

    /// Most events report what this process writes itself. Those are found irrelevant without a lock, so that neither the
    /// next change nor the watcher waits.
    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool {
        let journal = watchedJournal.value
        return event != .changed(name: WholeFile.split(journal).name) || !isUnchanged(journal)
    }

    /// Whether the journal contains nothing unknown, as far as its status tells.
    private func isUnchanged(_ journal: String) -> Bool {
        do throws(SystemError) {
            return try end.isPresent { () throws(SystemError) in
                try fileSystem.status(of: journal, followingLink: true)
            }
        } catch {
            return false
        }
    }

    var isQuiet: Bool {
        let isQuiet = files.withLockIfAvailable { files in
            do throws(SystemError) {
                return try files.file.status() == files.list.status && isUnchanged(files.journalPath)
            } catch {
                return false
            }
        }
        // If another thread has the files, it reads what has changed.
        return isQuiet ?? true
    }

    func poll() throws -> Bool {
        try refresh(waiting: .milliseconds(20))
        return true
    }

    func reportFailedPoll(_ error: any Error) {
        feed.report(.wrap(error, as: .readFailed, store: description))
    }

    /// Touches a file for other processes: the journal, which they watch, or the lock file, for which one waits.
    static func touch(_ path: String, in fileSystem: any FileSystem) {
        do throws(SystemError) {
            try fileSystem.touch(path)
        } catch {
            // Other processes also poll from time to time, and the lock is waited for all the same.
        }
    }

    /// Returns a path, and the destinations of the symbolic links there, one after the other. The last one is the file's.
    static func links(from path: String, in fileSystem: any FileSystem) -> [String] {
        var paths = [path]
        do throws(SystemError) {
            _ = try WholeFile(path: path, fileSystem: fileSystem).resolvedPath { paths.append($0) }
        } catch {
            // The rest cannot be read either, which polling reports.
        }
        return paths
    }

    /// Returns the directories of files, each once, with the names in it.
    static func places(of files: [String]) -> [ChangeMonitor.Place] {
        var places: [ChangeMonitor.Place] = []
        for file in files {
            let (directory, name) = WholeFile.split(file)
            if let index = places.firstIndex(where: { $0.directory == directory }) {
                places[index].names?.insert(name)
            } else {
                places.append(.init(directory: directory, names: [name]))
            }
        }
        return places
    }
}
