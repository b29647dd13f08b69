#if canImport(Glibc)
    import Glibc

    /// The inotify calls that can exhaust a resource; tests replace them.
    struct InotifyCalls: Sendable {
        var makeInstance: @Sendable () throws(SystemError) -> Int32
        var addWatch: @Sendable (_ instance: Int32, _ path: String, _ mask: UInt32) throws(SystemError) -> Int32

        static let system = InotifyCalls(
            makeInstance: { () throws(SystemError) in
                let instance = Descriptor.aboveStandard { inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) }
                if instance == -1 { throw SystemError(call: "inotify_init1", path: "", number: errno) }
                return instance
            },
            addWatch: { (instance, path, mask) throws(SystemError) in
                let watch = inotify_add_watch(instance, path, mask)
                if watch == -1 { throw SystemError(call: "inotify_add_watch", path: path, number: errno) }
                return watch
            })
    }

    /// One inotify instance, made when it is first needed.
    ///
    /// inotify watches inodes: paths that lead to the same one share a watch descriptor, whose users are counted here.
    ///
    /// A path is watched in one of two ways. Usually each directory and symbolic link on it is watched for its own removal and
    /// renaming, so that other files in the directories above wake no thread. But the system reports the removal of a directory
    /// only when nothing keeps it in memory, such as an open file that was in it. A directory is empty before it is removed, and
    /// each one on the path contains the next part of it, except the path's ends. So while an end is empty, the names on the path
    /// are also watched, in the directories that contain them: the system reports a removed name immediately.
    struct PathObserver {
        struct Event: Sendable {
            var descriptor: Int32
            var mask: Int
            /// Nil if the event is about the directory or link itself.
            var name: String?
        }

        /// The interest of a watch in one directory or symbolic link.
        private struct Interest {
            /// Nil: all.
            var names: Set<String>? = []
            /// Entries that are on the way to the watch's directory.
            var steps: Set<String> = []
            /// Whether it is an end of the path: its last entry may disappear before the path changes.
            var isEnd = false
            var mask: UInt32 = 0
        }

        /// The purpose of one watch descriptor.
        private struct Object {
            /// A path that led to it.
            var path: String
            var users: [WatchID: Interest] = [:]
        }

        /// The watched objects of one watch.
        private struct Placement {
            var descriptors: Set<Int32> = []
            /// The directories and links on the path, from the root; -1 for those that cannot be watched. Unlike an inode's
            /// number, the descriptor of a removed object is not reused.
            var path: [Int32] = []
            /// The ends of the path that were empty. While there are any, the names on the path are watched.
            var emptyEnds: [String] = []
        }

        private struct Instance {
            let descriptor: Int32
            let reader: InotifyReader
        }

        private let calls: InotifyCalls
        private var instance: Instance?
        private var objects: [Int32: Object] = [:]
        private var placements: [WatchID: Placement] = [:]

        init(calls: InotifyCalls = .system) { self.calls = calls }

        /// Watches a directory and the way to it, instead of the previous one for `id`.
        ///
        /// Adds the system's watches from the root down. If a directory on the way is moved after its watch was added, the move
        /// is reported. If it is moved earlier, the rest of the path is looked up in the new place.
        ///
        /// - Returns: whether other directories or links are on the path than those watched before.
        mutating func observe(
            _ location: WatchLocation, names: Set<String>?, for id: WatchID, watcher: DirectoryWatcher
        ) throws(SystemError) -> Bool {
            let instance = try madeInstance(watcher)
            let old = placements[id]?.path
            var new = Placement()
            var found: [Int32: (path: String, interest: Interest)] = [:]
            defer { place(id, new, found) }
            @discardableResult
            func request(
                _ mask: UInt32, at path: String, change: (inout Interest) -> Void = { _ in }
            ) throws(SystemError) -> Int32 {
                // A directory may be watched for several reasons: the events are added to the ones already requested.
                let descriptor = try calls.addWatch(instance, path, mask | Mask.adding)
                var interest = found[descriptor]?.interest ?? Interest()
                interest.mask |= mask
                change(&interest)
                found[descriptor] = (path, interest)
                return descriptor
            }
            func requestName(_ step: WatchLocation.Step) throws(SystemError) {
                try request(Mask.step, at: step.directory) { $0.steps.insert(step.name) }
            }
            for step in location.steps where step.isFollowed {
                do throws(SystemError) {
                    new.path.append(try request(step.object?.kind == .link ? Mask.link : Mask.own, at: step.path))
                } catch {
                    // An unreadable directory above, such as /home, must not prevent watching.
                    new.path.append(-1)
                    try? requestName(step)
                }
            }
            for end in location.ends { _ = try? request(Mask.end, at: end) { $0.isEnd = true } }
            if let directory = location.directory {
                try request(Mask.directory, at: directory) { $0.names = names }
            } else if let missing = location.steps.last {
                try requestName(missing)
            }
            // Checked after the ends are watched, so that the later removal of their last entries is reported.
            new.emptyEnds = location.ends.filter { !Self.hasEntries($0) }
            if !new.emptyEnds.isEmpty {
                for step in location.steps { try? requestName(step) }
            }
            return new.path != old
        }

        mutating func forget(_ id: WatchID) { place(id, nil, [:]) }

        private mutating func place(
            _ id: WatchID, _ placement: Placement?, _ found: [Int32: (path: String, interest: Interest)]
        ) {
            for descriptor in placements[id]?.descriptors ?? [] where found[descriptor] == nil {
                objects[descriptor]?.users[id] = nil
                guard objects[descriptor]?.users.isEmpty == true else { continue }
                objects[descriptor] = nil
                // Fails if the directory is gone, and the watch with it.
                if let instance { _ = inotify_rm_watch(instance.descriptor, descriptor) }
            }
            for (descriptor, (path, interest)) in found {
                objects[descriptor, default: Object(path: path)].path = path
                objects[descriptor]?.users[id] = interest
            }
            placements[id] = placement
            placements[id]?.descriptors = Set(found.keys)
        }

        // MARK: Events

        /// The watches that an event concerns, and its meaning for them.
        mutating func changes(
            of event: Event, all: some Collection<WatchID>
        ) -> [(WatchID, WatchTable.Change)] {
            if event.mask & Int(IN_Q_OVERFLOW) != 0 { return all.map { ($0, .lost) } }
            guard let object = objects[event.descriptor] else { return [] }
            // The system has ended this watch. There will be another for the object at the path now.
            if event.mask & Int(IN_IGNORED) != 0 { objects[event.descriptor] = nil }
            guard let name = event.name else { return object.users.keys.map { ($0, .path) } }
            let changes = object.users.compactMap { id, interest -> (WatchID, WatchTable.Change)? in
                if interest.steps.contains(name) && event.mask & Mask.entries != 0 { return (id, .path) }
                return interest.names?.contains(name) ?? true ? (id, .entry(name)) : nil
            }
            let needed = object.users.values.reduce(0) { $0 | $1.mask }
            if event.mask & Int(needed) == 0 {
                // A watch that is gone, or watches no names any more, has left it.
                return narrow(event.descriptor, to: needed) ? [] : all.map { ($0, .lost) }
            }
            return changes + watchedOtherwise(after: event, of: object).map { ($0, .needs) }
        }

        /// The watches that now need the names on the path to be watched, or no longer need it.
        private func watchedOtherwise(after event: Event, of object: Object) -> [WatchID] {
            lazy var isEmpty = !Self.hasEntries(object.path)
            return object.users.compactMap { id, interest in
                let emptyEnds = placements[id]?.emptyEnds ?? []
                if emptyEnds.isEmpty {
                    return interest.isEnd && event.mask & Mask.removals != 0 && isEmpty ? id : nil
                }
                // Events of other files trigger this check: after each change in the directory itself, it would run too often.
                let isOfOthers =
                    !interest.isEnd && !interest.steps.isEmpty && !interest.steps.contains(event.name ?? "")
                return isOfOthers && emptyEnds.allSatisfy(Self.hasEntries) ? id : nil
            }
        }

        private static func hasEntries(_ directory: String) -> Bool {
            (try? POSIXFileSystem().names(inDirectory: directory, limit: 1).isEmpty) == false
        }

        /// Requests only the events that are needed.
        ///
        /// - Returns: false if the path now leads elsewhere, so that too few events may be requested there.
        private func narrow(_ descriptor: Int32, to mask: UInt32) -> Bool {
            guard let instance, let path = objects[descriptor]?.path else { return true }
            do throws(SystemError) {
                let present = try calls.addWatch(instance.descriptor, path, mask)
                if present == descriptor { return true }
                if objects[present] == nil { _ = inotify_rm_watch(instance.descriptor, present) }
                return false
            } catch {
                // It has been removed or renamed, which is reported.
                return true
            }
        }

        private mutating func madeInstance(_ watcher: DirectoryWatcher) throws(SystemError) -> Int32 {
            if let instance { return instance.descriptor }
            let descriptor = try calls.makeInstance()
            let reader = try InotifyReader(descriptor, pause: PlatformTimings.eventPause) {
                [weak watcher] events in watcher?.receive(events)
            }
            instance = Instance(descriptor: descriptor, reader: reader)
            return descriptor
        }
    }

    /// The events that are requested. The system adds `IN_ISDIR`, `IN_IGNORED`, `IN_UNMOUNT` and `IN_Q_OVERFLOW`.
    private enum Mask {
        static let removals = Int(IN_DELETE | IN_MOVED_FROM)
        /// Appearing and disappearing names.
        static let entries = removals | Int(IN_CREATE | IN_MOVED_TO)
        private static let itself = Int(IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW)

        /// A symbolic link. Its attributes include the number of its names: another one may keep it alive.
        static let link = UInt32(truncatingIfNeeded: itself | Int(IN_ATTRIB))
        static let own = UInt32(truncatingIfNeeded: itself | Int(IN_ONLYDIR))
        static let end = own | UInt32(truncatingIfNeeded: removals)
        static let step = own | UInt32(truncatingIfNeeded: entries)
        /// Not `IN_MODIFY`: it makes each write to a watched file twice as expensive, and reports files that are still being
        /// written. A file is reported when it is closed, also by the end of its process; a process that keeps a file open for
        /// long touches it (``FileSystem/touch(_:)``).
        static let directory = step | UInt32(truncatingIfNeeded: Int(IN_CLOSE_WRITE | IN_ATTRIB))
        static let adding = UInt32(truncatingIfNeeded: Int(IN_MASK_ADD))
    }
#endif
