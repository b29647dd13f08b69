import Synchronization

// @unchecked: the chunks are raw memory. It is sound because a chunk's pointer is published by an atomic store after the
// chunk is initialised, its elements are atomics, and nothing is freed before `deinit`.
/// A service's cells by the index of their setting: read without a lock, filled under one.
///
/// The table is made of chunks, each twice as large as the one before, which never move once they are there; so a reader
/// needs two loads and no lock. A cell stays in the table until its setting goes, and then no reader can be looking for
/// it: whoever reads a setting holds it.
@usableFromInline final class CellTable: @unchecked Sendable {
    @usableFromInline typealias Slot = Atomic<Unmanaged<AnyCell>?>

    @usableFromInline static let firstChunkSize: UInt = 64
    /// 64 + 128 + ... : more settings than memory holds.
    @usableFromInline static let chunkCount = 40

    @usableFromInline let chunks: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<Slot>?>>
    /// Held so that no channel goes before the cells that belong to it.
    private let registry: ChannelRegistry
    private let filling = Mutex(())

    init(registry: ChannelRegistry) {
        self.registry = registry
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

    /// The cell of the setting with this index, if it has one; two loads.
    @inlinable @inline(__always) func cell(at index: Int) -> Unmanaged<AnyCell>? {
        let (chunk, position) = Self.place(of: index)
        guard let chunk = chunks[chunk].load(ordering: .acquiring) else { return nil }
        return chunk[position].load(ordering: .acquiring)
    }

    @inlinable @inline(__always) static func place(of index: Int) -> (chunk: Int, position: Int) {
        let number = UInt(bitPattern: index) &+ firstChunkSize
        let chunk = (UInt.bitWidth &- 1 &- number.leadingZeroBitCount) &- firstChunkSize.trailingZeroBitCount
        return (chunk, Int(bitPattern: number &- (firstChunkSize &<< UInt(bitPattern: chunk))))
    }

    /// The cell at an index; made and kept if there is none.
    func cell(at index: Int, make: () -> AnyCell) -> (cell: AnyCell, isNew: Bool) {
        let (number, position) = Self.place(of: index)
        return filling.withLock { _ in
            let chunk = chunks[number].load(ordering: .acquiring) ?? makeChunk(number)
            if let cell = chunk[position].load(ordering: .acquiring) { return (cell.takeUnretainedValue(), false) }
            let cell = make()
            chunk[position].store(.passRetained(cell), ordering: .releasing)
            return (cell, true)
        }
    }

    private func makeChunk(_ number: Int) -> UnsafeMutablePointer<Slot> {
        let size = Int(Self.firstChunkSize << UInt(number))
        let chunk = UnsafeMutablePointer<Slot>.allocate(capacity: size)
        for position in 0..<size { (chunk + position).initialize(to: Atomic(nil)) }
        chunks[number].store(chunk, ordering: .releasing)
        return chunk
    }

    /// Forgets the cell at an index, whose setting is going.
    func removeCell(at index: Int) {
        let (number, position) = Self.place(of: index)
        let cell = filling.withLock { _ in
            chunks[number].load(ordering: .acquiring)?[position].exchange(nil, ordering: .acquiringAndReleasing)
        }
        cell?.takeRetainedValue().leaveChannel()
    }
}
