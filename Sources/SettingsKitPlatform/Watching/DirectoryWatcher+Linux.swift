#if canImport(Glibc)
    import Dispatch
    import Glibc

    /// One inotify instance, made when it is first needed.
    ///
    /// inotify watches inodes: paths that lead to the same one share a watch descriptor.
    ///
    /// The directory above a watched one is also watched, for its name: the system reports the removal of a directory itself only
    /// when nothing keeps it in memory, such as an open file that was in it.
    struct PathObserver {
        struct Event: Sendable {
            var descriptor: Int32
            var mask: Int
            /// Nil if the event is about the directory itself.
            var name: String?
        }

        /// The interest of a watch in one directory.
        private struct Interest {
            /// Nil: all.
            var names: Set<String>? = []
            /// Whether the names lead to the watch's directory.
            var steps: Set<String> = []
        }

        private struct Instance {
            let descriptor: Int32
            let source: EventSource
        }

        private var instance: Instance?
        private var interests: [Int32: [WatchID: Interest]] = [:]

        init() {}

        /// Watches a directory, instead of the previous one for `id`.
        mutating func observe(
            _ subscription: Subscription, for id: WatchID, watcher: DirectoryWatcher
        ) throws(SystemError) {
            let instance = try madeInstance(watcher)
            var found: [Int32: Interest] = [:]
            defer { place(id, found) }
            try subscription.place { (directory, name) throws(SystemError) in
                // A directory may be watched for several reasons: the events are added to the ones already requested.
                let watch = inotify_add_watch(instance, directory, name == nil ? Mask.directory : Mask.step)
                if watch == -1 { throw SystemError(call: "inotify_add_watch", path: directory, number: errno) }
                if let name {
                    found[watch, default: Interest()].steps.insert(name)
                } else {
                    found[watch, default: Interest()].names = subscription.names
                }
            }
        }

        mutating func forget(_ id: WatchID) { place(id, [:]) }

        private mutating func place(_ id: WatchID, _ found: [Int32: Interest]) {
            for (descriptor, users) in interests where users[id] != nil && found[descriptor] == nil {
                interests[descriptor]?[id] = nil
                guard interests[descriptor]?.isEmpty == true else { continue }
                interests[descriptor] = nil
                // Fails if the directory is gone, and the watch with it.
                if let instance { _ = inotify_rm_watch(instance.descriptor, descriptor) }
            }
            for (descriptor, interest) in found { interests[descriptor, default: [:]][id] = interest }
        }

        /// The watches that an event concerns, and its meaning for them.
        mutating func changes(
            of event: Event, all: some Collection<WatchID>
        ) -> [(WatchID, DirectoryWatcher.Change)] {
            if event.mask & Int(IN_Q_OVERFLOW) != 0 { return all.map { ($0, .directory) } }
            guard let users = interests[event.descriptor] else { return [] }
            // The system has ended this watch. There will be another for the directory at the path now.
            if event.mask & Int(IN_IGNORED) != 0 { interests[event.descriptor] = nil }
            guard let name = event.name else { return users.keys.map { ($0, .directory) } }
            return users.compactMap { id, interest in
                if interest.steps.contains(name) && event.mask & Mask.entries != 0 { return (id, .directory) }
                return interest.names?.contains(name) ?? true ? (id, .entry(name)) : nil
            }
        }

        private mutating func madeInstance(_ watcher: DirectoryWatcher) throws(SystemError) -> Int32 {
            if let instance { return instance.descriptor }
            let descriptor = Descriptor.aboveStandard { inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) }
            if descriptor == -1 { throw SystemError(call: "inotify_init1", path: "", number: errno) }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: watcher.queue)
            instance = Instance(
                descriptor: descriptor,
                source: EventSource(source, released: { close(descriptor) }) { [weak watcher] in
                    let events = Event.read(descriptor)
                    if !events.isEmpty { watcher?.receive(events) }
                })
            return descriptor
        }
    }

    extension PathObserver.Event {
        private static let headerSize = MemoryLayout<inotify_event>.size

        /// Returns the oldest events of an instance.
        fileprivate static func read(_ instance: Int32) -> [Self] {
            withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: MemoryLayout<inotify_event>.alignment) {
                buffer in
                let count = Glibc.read(instance, buffer.baseAddress, buffer.count)
                return count > 0 ? parse(UnsafeRawBufferPointer(rebasing: buffer[..<count])) : []
            }
        }

        private static func parse(_ bytes: UnsafeRawBufferPointer) -> [Self] {
            var events: [Self] = []
            var offset = 0
            while offset + headerSize <= bytes.count {
                let header = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                offset += headerSize
                let end = min(offset + Int(header.len), bytes.count)
                // The name is padded with zeros.
                let name = bytes[offset..<end].prefix { $0 != 0 }
                events.append(
                    Self(
                        descriptor: header.wd, mask: Int(header.mask),
                        name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self)))
                offset = end
            }
            return events
        }
    }

    /// The events that are requested. The system adds `IN_ISDIR`, `IN_IGNORED`, `IN_UNMOUNT` and `IN_Q_OVERFLOW`.
    private enum Mask {
        /// Appearing and disappearing names.
        static let entries = Int(IN_DELETE | IN_MOVED_FROM | IN_CREATE | IN_MOVED_TO)
        static let step = UInt32(
            truncatingIfNeeded: entries | Int(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD))
        /// Not `IN_MODIFY`: it makes each write to a watched file twice as expensive, and reports files that are still being
        /// written. A file is reported when it is closed, also by the end of its process; a process that keeps a file open for
        /// long touches it (``FileSystem/touch(_:)``).
        static let directory = step | UInt32(truncatingIfNeeded: Int(IN_CLOSE_WRITE | IN_ATTRIB))
    }
#endif
