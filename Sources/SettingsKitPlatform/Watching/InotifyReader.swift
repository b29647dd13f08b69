#if canImport(Glibc)
    import Glibc

    /// Reads an inotify instance on a thread of its own, until it is released.
    ///
    /// Not a dispatch source, which wakes two threads for an event, and makes three more calls to wait for the next: most events
    /// are the process's own announcements, and need almost no work.
    final class InotifyReader: Sendable {
        /// One end of a connection to the thread, which ends when it receives a byte.
        private let end: Int32

        /// Starts the thread.
        ///
        /// - Parameters:
        ///   - instance: The instance's descriptor, which does not block. The reader closes it when it ends, or if this throws.
        ///   - pause: The time for which events in quick succession are left alone.
        ///   - deliver: Called on the thread, with the oldest events.
        init(
            _ instance: Int32, pause: Duration, deliver: @escaping @Sendable ([PathObserver.Event]) -> Void
        ) throws(SystemError) {
            var ends: [Int32] = [-1, -1]
            Descriptor.fillStandard()
            let type = Int32(bitPattern: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            let isMade = socketpair(AF_UNIX, type, 0, &ends) == 0
            let (end, threadEnd) = (Descriptor.aboveStandard(ends[0]), Descriptor.aboveStandard(ends[1]))
            guard isMade, end != -1, threadEnd != -1 else {
                for descriptor in [instance, end, threadEnd] where descriptor != -1 { close(descriptor) }
                throw SystemError(call: "socketpair", path: "", number: EMFILE)
            }
            let isStarted = OwnThread.start {
                InotifyReader.run(instance, until: threadEnd, pause: pause, deliver)
                // The program may have closed the descriptors, and their numbers may be reused.
                var byte: UInt8 = 0
                guard recv(threadEnd, &byte, 1, Int32(MSG_DONTWAIT)) == 1 else { return }
                close(threadEnd)
                close(instance)
            }
            guard isStarted else {
                for descriptor in [instance, end, threadEnd] { close(descriptor) }
                throw SystemError(call: "pthread_create", path: "", number: EAGAIN)
            }
            // Set last: without it, an initializer that throws has nothing to close.
            self.end = end
        }

        deinit {
            send(end, [UInt8(0)], 1, Int32(MSG_NOSIGNAL))
            close(end)
        }

        private static func run(
            _ instance: Int32, until end: Int32, pause: Duration,
            _ deliver: @Sendable ([PathObserver.Event]) -> Void
        ) {
            var descriptors = [instance, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            var last: ContinuousClock.Instant?
            while true {
                if poll(&descriptors, 2, -1) == -1, errno != EINTR {
                    // The program has closed the reader's descriptors. Events are read late.
                    ThreadPause.sleep(for: PlatformTimings.closedReaderPause)
                }
                if descriptors[1].revents != 0 { return }
                guard descriptors[0].fd == instance, descriptors[0].revents & ~Int16(POLLIN) == 0,
                    let (events, isAll) = read(instance)
                else {
                    // The program has closed the instance. All watches are renewed, fail, and report it.
                    if descriptors[0].fd == instance {
                        descriptors[0] = pollfd(fd: -1, events: 0, revents: 0)
                        deliver([PathObserver.Event(descriptor: -1, mask: Int(IN_Q_OVERFLOW))])
                    }
                    continue
                }
                if !events.isEmpty { deliver(events) }
                guard isAll else { continue }
                if let last, .now < last + pause { ThreadPause.sleep(for: pause) }
                last = .now
            }
        }

        // MARK: Reading

        private static let capacity = 65_536
        private static let headerSize = MemoryLayout<inotify_event>.size
        /// The largest size of an event.
        private static let eventLimit = headerSize + Int(NAME_MAX) + 1

        /// - Returns: the oldest events, and whether there was room for more: if not, others may follow. Nil if no event can
        ///   follow any more.
        private static func read(_ instance: Int32) -> (events: [PathObserver.Event], isAll: Bool)? {
            withUnsafeTemporaryAllocation(
                byteCount: capacity, alignment: MemoryLayout<inotify_event>.alignment
            ) { buffer in
                let count = systemRead(instance, buffer.baseAddress, buffer.count)
                guard count > 0 else { return count == -1 && [EAGAIN, EINTR].contains(errno) ? ([], true) : nil }
                return (parse(UnsafeRawBufferPointer(rebasing: buffer[..<count])), count <= capacity - eventLimit)
            }
        }

        private static func parse(_ bytes: UnsafeRawBufferPointer) -> [PathObserver.Event] {
            var events: [PathObserver.Event] = []
            var offset = 0
            while offset + headerSize <= bytes.count {
                let header = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                offset += headerSize
                let end = min(offset + Int(header.len), bytes.count)
                // The name is padded with zeros.
                let name = bytes[offset..<end].prefix { $0 != 0 }
                events.append(
                    PathObserver.Event(
                        descriptor: header.wd, mask: Int(header.mask),
                        name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self)))
                offset = end
            }
            return events
        }
    }

    // Inside the type, the name means its own function.
    private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        read(descriptor, buffer, count)
    }
#endif
