import Synchronization

// @unchecked: the chunks are raw memory. It is sound because a chunk's pointer is published by an atomic store after the
// chunk is initialized, its elements are atomics, and nothing is freed before `deinit`.
/// The slots of a service, by index: read without a lock, filled inside one.
///
/// The table consists of chunks that never move, each twice as large as the one before, so a reader needs two loads and no lock. An
/// object stays in the table until its setting is released. No reader can then look for it, because a reader holds the setting.
@usableFromInline final class SlotTable: @unchecked Sendable {
    @usableFromInline typealias Entry = Atomic<Unmanaged<AnyObject>?>

    @usableFromInline static let firstChunkSize: UInt = 64
    /// 64 + 128 + ... : more settings than memory holds.
    @usableFromInline static let chunkCount = 40

    @usableFromInline let chunks: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<Entry>?>>
    /// Keeps connections alive longer than their settings.
    private let connections: Connections
    /// Guards the filling of slots. A connection's lock is taken inside it.
    private let filling = Mutex((), .connection)

    init(connections: Connections) {
        self.connections = connections
        chunks = .allocate(capacity: Self.chunkCount)
        for number in 0..<Self.chunkCount { (chunks + number).initialize(to: Atomic(nil)) }
    }

    deinit {
        for number in 0..<Self.chunkCount {
            if let chunk = chunks[number].load(ordering: .acquiring) {
                let size = Int(Self.firstChunkSize << UInt(number))
                for position in 0..<size { chunk[position].load(ordering: .acquiring)?.release() }
                chunk.deinitialize(count: size)
                chunk.deallocate()
            }
        }
        chunks.deinitialize(count: Self.chunkCount)
        chunks.deallocate()
    }

    /// Returns the object at an index, if there is one.
    @inlinable @inline(__always) func slot(at index: Int) -> Unmanaged<AnyObject>? {
        let (chunk, position) = Self.place(of: index)
        guard let chunk = chunks[chunk].load(ordering: .acquiring) else { return nil }
        return chunk[position].load(ordering: .acquiring)
    }

    @inlinable @inline(__always) static func place(of index: Int) -> (chunk: Int, position: Int) {
        let number = UInt(bitPattern: index) &+ firstChunkSize
        let chunk = (UInt.bitWidth &- 1 &- number.leadingZeroBitCount) &- firstChunkSize.trailingZeroBitCount
        return (chunk, Int(bitPattern: number &- (firstChunkSize &<< UInt(bitPattern: chunk))))
    }

    /// Returns the object at an index, and creates it if there is none.
    func slot(at index: Int, make: () -> AnyObject) -> (slot: AnyObject, isNew: Bool) {
        let (number, position) = Self.place(of: index)
        return filling.withLock { _ in
            let chunk = chunks[number].load(ordering: .acquiring) ?? makeChunk(number)
            if let setting = chunk[position].load(ordering: .acquiring) {
                return (setting.takeUnretainedValue(), false)
            }
            let setting = make()
            chunk[position].store(.passRetained(setting), ordering: .releasing)
            return (setting, true)
        }
    }

    private func makeChunk(_ number: Int) -> UnsafeMutablePointer<Entry> {
        let size = Int(Self.firstChunkSize << UInt(number))
        let chunk = UnsafeMutablePointer<Entry>.allocate(capacity: size)
        for position in 0..<size { (chunk + position).initialize(to: Atomic(nil)) }
        chunks[number].store(chunk, ordering: .releasing)
        return chunk
    }

    /// Removes the object of a setting that is being released.
    func removeSlot(at index: Int, key: SettingsService.StorageKey) {
        let (number, position) = Self.place(of: index)
        let removed = filling.withLock { _ in
            chunks[number].load(ordering: .acquiring)?[position].exchange(nil, ordering: .acquiringAndReleasing)
        }
        guard let setting = removed?.takeRetainedValue() else { return }
        connections[key.scope].remove(unsafeDowncast(setting, to: AnySlot.self))
    }
}
