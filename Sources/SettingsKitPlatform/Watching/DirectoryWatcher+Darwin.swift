#if canImport(Darwin)
    import Darwin
    import Dispatch

    /// Watches open files: the directory, for its entries, and the named entries that exist, for writes.
    struct PathObserver {
        struct Event: Sendable {
            var id: WatchID
            /// Distinguishes it from requests before the last ``PathObserver/observe``.
            var generation: UInt64
            /// The entry that was written. Nil if the directory has changed.
            var name: String?
        }

        /// An open file, closed with its last reference.
        private struct Watched {
            var status: FileStatus
            var source: EventSource

            func isSame(as other: FileStatus?) -> Bool { status.isSameFile(as: other) }
        }

        private struct Observation {
            let path: String
            /// Nil if the directory is missing and `path` is above it; or if all entries are of interest: the directory itself
            /// then reports only that they appear and disappear.
            let names: Set<String>?
            let directory: Watched
            var files: [String: Watched] = [:]
            let generation: UInt64
            let queue: DispatchQueue
            let report: @Sendable (_ name: String?) -> Void
        }

        private var observations: [WatchID: Observation] = [:]
        private var lastGeneration: UInt64 = 0

        init() {}

        /// Watches a directory, or the nearest existing one above it, instead of the previous one for `id`.
        mutating func observe(
            _ subscription: Subscription, for id: WatchID, watcher: DirectoryWatcher
        ) throws(SystemError) {
            lastGeneration += 1
            let generation = lastGeneration
            let report: @Sendable (String?) -> Void = { [weak watcher] name in
                watcher?.receive([Event(id: id, generation: generation, name: name)])
            }
            var observation: Observation?
            try subscription.place { (path, name) throws(SystemError) in
                let directory = try Self.open(
                    path, events: [.write, .delete, .rename, .link], queue: watcher.queue, report: { report(nil) })
                guard let directory else { throw SystemError(call: "open", path: path, number: ENOENT) }
                var new = Observation(
                    path: path, names: name == nil ? subscription.names : nil, directory: directory,
                    generation: generation, queue: watcher.queue, report: report)
                for file in new.names ?? [] { try Self.openFile(file, of: &new) }
                observation = new
            }
            observations[id] = observation
        }

        mutating func forget(_ id: WatchID) { observations[id] = nil }

        /// The watches that an event concerns, and its meaning for them.
        mutating func changes(
            of event: Event, all: some Collection<WatchID>
        ) -> [(WatchID, DirectoryWatcher.Change)] {
            guard var observation = observations[event.id], observation.generation == event.generation else {
                return []
            }
            defer { observations[event.id] = observation }
            do throws(SystemError) {
                let files = POSIXFileSystem()
                let present = try files.status(of: observation.path, followingLink: true)
                guard let names = observation.names, observation.directory.isSame(as: present) else {
                    return [(event.id, .directory)]
                }
                var changed: Set<String> = []
                if let name = event.name { changed.insert(name) }
                // A directory does not report which of its entries is another file now.
                for name in names {
                    let path = WholeFile.join(observation.path, name)
                    let status = try files.status(of: path, followingLink: true)
                    let file = observation.files[name]
                    if status == nil && file == nil || file?.isSame(as: status) == true { continue }
                    try Self.openFile(name, of: &observation)
                    changed.insert(name)
                }
                return changed.map { (event.id, .entry($0)) }
            } catch {
                // The failure recurs when the watch is renewed.
                return [(event.id, .directory)]
            }
        }

        private static func openFile(_ name: String, of observation: inout Observation) throws(SystemError) {
            let report = observation.report
            observation.files[name] = try open(
                WholeFile.join(observation.path, name), events: [.write, .extend, .attrib, .delete, .rename],
                queue: observation.queue, report: { report(name) })
        }

        /// - Returns: nil if there is nothing.
        private static func open(
            _ path: String, events: DispatchSource.FileSystemEvent, queue: DispatchQueue,
            report: @escaping @Sendable () -> Void
        ) throws(SystemError) -> Watched? {
            let descriptor = Descriptor.aboveStandard { Darwin.open(path, O_EVTONLY | O_CLOEXEC) }
            if descriptor == -1 {
                if errno == ENOENT || errno == ENOTDIR { return nil }
                throw SystemError(call: "open", path: path, number: errno)
            }
            let status: FileStatus
            do throws(SystemError) {
                status = try POSIXFileSystem().status(of: FileHandle(descriptor: descriptor, path: path))
            } catch {
                Darwin.close(descriptor)
                throw error
            }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: events, queue: queue)
            return Watched(
                status: status,
                source: EventSource(source, released: { Darwin.close(descriptor) }, handler: report))
        }
    }
#endif
