import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Noticing what others do.
extension JournaledPropertyList {
    /// How long after a look that another process was in the way of there is the next.
    private static var busyPause: Duration { .seconds(2) }

    /// Has a look at the files soon, in the background.
    func lookAgain(after delay: Duration = .zero) {
        guard hasBackground else { return }
        if delay > .zero {
            queue.asyncAfter(delay) { [weak self] in self?.look() }
        } else if !isAboutToLook.exchange(true, ordering: .acquiringAndReleasing) {
            queue.async { [weak self] in
                self?.isAboutToLook.store(false, ordering: .releasing)
                self?.look()
            }
        }
    }

    /// Whether there is nothing new in the journal, as far as can be told from outside.
    func isUnchanged(_ journalPath: String) -> Bool {
        do throws(SystemError) {
            return isKnown(try fileSystem.status(of: journalPath, followingLink: true))
        } catch {
            return false
        }
    }

    /// Whether the files are in the state that is known, as far as can be seen from outside. Does not wait.
    var isQuiet: Bool {
        let isQuiet = access.withLockIfAvailable { access in
            do throws(SystemError) {
                return try access.file.status() == access.fileStatus && isUnchanged(access.journalPath)
            } catch {
                return false
            }
        }
        // If another thread has the files, it looks at them itself.
        return isQuiet ?? true
    }

    /// Has a look at the files now; reports the first failure in a row.
    func look() {
        do {
            try refresh(waiting: .milliseconds(20))
            hasLookedInVain.store(false, ordering: .relaxed)
        } catch SettingsError.Code.busy {
            // There need not be another event when the other process is done.
            if !isLookPlanned.exchange(true, ordering: .acquiringAndReleasing) {
                queue.asyncAfter(Self.busyPause) { [weak self] in
                    self?.isLookPlanned.store(false, ordering: .releasing)
                    self?.look()
                }
            }
        } catch {
            if hasLookedInVain.exchange(true, ordering: .relaxed) { return }
            feed.report(.wrap(error, as: .readFailed, store: description))
        }
    }
}

extension JournaledPropertyList {
    /// What others have been told of the changes made here.
    enum Announcement: UInt8, AtomicRepresentable {
        /// Everything.
        case none
        /// Everything, a moment ago.
        case made
        /// Not the last change.
        case needed
    }

    /// How long others are not told again.
    private static var announcementPause: Duration { .microseconds(500) }

    /// Tells other processes that the journal has grown: touches it, in the background, as that takes as long as setting a
    /// value, and seldom enough when many values are set in a row.
    ///
    /// The end of the process needs no announcement: it closes the journal, which is one.
    func announce() {
        if announcement.load(ordering: .relaxed) == .needed { return }
        guard announcement.exchange(.needed, ordering: .acquiringAndReleasing) == .none, hasBackground else { return }
        startWatching()
        queue.async { [weak self] in self?.makeAnnouncement() }
    }

    private func makeAnnouncement() {
        announcement.store(.made, ordering: .releasing)
        access.withLock { access in
            guard let journal = access.journal else { return }
            do throws(SystemError) {
                try fileSystem.touch(journal.file)
            } catch {
                // Others look from time to time, too.
            }
        }
        queue.asyncAfter(Self.announcementPause) { [weak self] in
            guard let self else { return }
            let (isDone, _) = announcement.compareExchange(
                expected: .made, desired: .none, ordering: .acquiringAndReleasing)
            if !isDone { makeAnnouncement() }
        }
    }
}
