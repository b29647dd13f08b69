#if canImport(Glibc)
    import Glibc

    /// Takes events out of an inotify instance.
    enum InotifyReader {
        private static let capacity = 65_536
        private static let headerSize = MemoryLayout<inotify_event>.size
        /// No event is larger.
        private static let eventLimit = headerSize + Int(NAME_MAX) + 1

        /// - Returns: the oldest events, and whether there was room for more of them: if not, there may be others.
        static func read(_ descriptor: Int32) -> (events: [PathObserver.Event], isAll: Bool) {
            withUnsafeTemporaryAllocation(
                byteCount: capacity, alignment: MemoryLayout<inotify_event>.alignment
            ) { buffer in
                let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
                // Nothing to be read, or a signal: there will be another call.
                guard count > 0 else { return ([], true) }
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
                // It is filled up with zeros.
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
