import SettingsKitCore
import SettingsKitPlatform

/// Notices the writes of other processes and programs.
///
/// Watching starts with the first listener or write, or a moment after opening: a process that reads and exits needs no watch.
/// Changes since opening are then read.
extension JournaledPropertyList: ChangeMonitored {
    /// The property list, its journal, and symbolic links that lead to them.
    var monitoredPlaces: [ChangeMonitor.Place] {
        let files = Self.links(from: path, in: fileSystem)
        let journal = FilesBeside.journal(files.last ?? path)
        watchedJournal.value = journal
        return Self.places(of: files + [journal])
    }

    /// Most events report this process's own writes. They are recognized without a lock, so that neither the next change nor the
    /// watcher waits.
    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool {
        let journal = watchedJournal.value
        return event != .changed(name: WholeFile.split(journal).name) || !isUnchanged(journal)
    }

    /// Whether the journal contains only known records, according to its status.
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
        // If another thread uses the files, it reads the changes.
        return isQuiet ?? true
    }

    func poll() throws -> Bool {
        try refresh(waiting: PropertyListTimings.pollPatience)
        return true
    }

    func reportFailedPoll(_ error: any Error) {
        feed.report(.wrap(error, as: .readFailed, store: description))
    }

    /// Touches a file for other processes: the journal, which they watch, or the lock file, to show that this process waits.
    static func touch(_ path: String, in fileSystem: any FileSystem) {
        do throws(SystemError) {
            try fileSystem.touch(path)
        } catch {
            // Other processes also poll from time to time, and waiting for the lock continues.
        }
    }

    /// Returns a path and the destinations of its symbolic links, one after another. The last one is the file's.
    static func links(from path: String, in fileSystem: any FileSystem) -> [String] {
        var paths = [path]
        do throws(SystemError) {
            _ = try WholeFile(path: path, fileSystem: fileSystem).resolvedPath { paths.append($0) }
        } catch {
            // The remaining links cannot be read either, which polling reports.
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
