#if canImport(Glibc)
    import Glibc

    /// The calls of inotify that run out of something; tests put others here.
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
    struct PathObserver {
        struct Event: Sendable {
            var descriptor: Int32
            var mask: Int
            /// Nil if the event is about the directory itself.
            var name: String?
        }

        /// What a watch wants to know of one directory.
        private struct Interest {
            /// Nil: all.
            var names: Set<String>? = []
            /// Entries that are on the way to the watch's directory.
            var steps: Set<String> = []
        }

        private struct Instance {
            let descriptor: Int32
            /// A forked child shares the instance with its parent, and must not change what is watched.
            let process = getpid()
            let reader: InotifyReader
        }

        private let calls: InotifyCalls
        private var instance: Instance?
        private var interests: [Int32: [WatchID: Interest]] = [:]
        private var descriptors: [WatchID: Set<Int32>] = [:]

        init(calls: InotifyCalls = .system) { self.calls = calls }

        /// Watches a directory and the way to it, instead of what was watched for `id` until now.
        ///
        /// Adds the system's watches from the root down. If a directory on the way is moved after its watch was added,
        /// the move is reported; if it is moved before that, the rest of the path is looked up in the new place.
        mutating func observe(
            _ location: WatchLocation, names: Set<String>?, for id: WatchID, watcher: DirectoryWatcher
        ) throws(SystemError) {
            let instance = try madeInstance(watcher)
            var found: [Int32: Interest] = [:]
            do throws(SystemError) {
                for step in location.steps {
                    do throws(SystemError) {
                        let descriptor = try calls.addWatch(instance, step.directory, Mask.step)
                        found[descriptor, default: Interest()].steps.insert(step.name)
                    } catch {
                        // A directory above that must not be read, such as /home, is no reason not to watch at all.
                        if location.directory == nil && step == location.steps.last { throw error }
                    }
                }
                if let directory = location.directory {
                    found[try calls.addWatch(instance, directory, Mask.directory), default: Interest()].names = names
                }
            } catch {
                replaceInterests(of: id, with: found)
                throw error
            }
            replaceInterests(of: id, with: found)
        }

        mutating func forget(_ id: WatchID) { replaceInterests(of: id, with: [:]) }

        private mutating func replaceInterests(of id: WatchID, with new: [Int32: Interest]) {
            for descriptor in descriptors[id, default: []] where new[descriptor] == nil {
                interests[descriptor]?[id] = nil
                guard interests[descriptor]?.isEmpty == true else { continue }
                interests[descriptor] = nil
                // Fails if the directory is gone, and the watch with it.
                if let instance, instance.process == getpid() { _ = inotify_rm_watch(instance.descriptor, descriptor) }
            }
            for (descriptor, interest) in new { interests[descriptor, default: [:]][id] = interest }
            descriptors[id] = new.isEmpty ? nil : Set(new.keys)
        }

        /// Which watches an event is about, and what it means to them.
        mutating func changes(
            of event: Event, all: some Collection<WatchID>
        ) -> [(WatchID, WatchTable.Change)] {
            if event.mask & Int(IN_Q_OVERFLOW) != 0 { return all.map { ($0, .lost) } }
            guard let users = interests[event.descriptor] else { return [] }
            // The system has ended this watch, and there will be another for what is at the path now.
            if event.mask & Int(IN_IGNORED) != 0 { interests[event.descriptor] = nil }
            guard let name = event.name else { return users.keys.map { ($0, .path) } }
            return users.compactMap { id, interest in
                if interest.steps.contains(name) && event.mask & Mask.entries != 0 { return (id, .path) }
                return interest.names?.contains(name) ?? true ? (id, .entry(name)) : nil
            }
        }

        private mutating func madeInstance(_ watcher: DirectoryWatcher) throws(SystemError) -> Int32 {
            if let instance {
                if instance.process == getpid() { return instance.descriptor }
                throw SystemError(call: "inotify_add_watch", path: "", number: ECHILD)
            }
            let descriptor = try calls.makeInstance()
            let reader = try InotifyReader(descriptor, pause: DirectoryWatcher.pause) {
                [weak watcher] events in watcher?.receive(events)
            }
            instance = Instance(descriptor: descriptor, reader: reader)
            return descriptor
        }
    }

    /// What is asked for.
    private enum Mask {
        /// Names that appear and disappear.
        static let entries = Int(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
        private static let own = Int(IN_DELETE_SELF | IN_MOVE_SELF)
        /// A directory on the way may also be watched itself: the events are added to those requested before.
        private static let always = Int(IN_ONLYDIR) | Int(IN_MASK_ADD)

        static let step = UInt32(truncatingIfNeeded: entries | own | always)
        /// Not `IN_MODIFY`: it makes each write to a watched file twice as expensive, and reports files that a process
        /// is still writing. A file is reported when it is closed, also by the end of its process; a process that keeps
        /// a file open for long touches it (``FileSystem/touch(_:)``). Not `IN_ISDIR`, `IN_IGNORED`, `IN_UNMOUNT`,
        /// `IN_Q_OVERFLOW`: the system reports them without being asked.
        static let directory = UInt32(truncatingIfNeeded: entries | own | always | Int(IN_CLOSE_WRITE | IN_ATTRIB))
    }
#endif
