import SettingsKitPlatform

/// Locates the parts of a binary property list, and checks every access against the bounds of the file.
///
/// The file has eight bytes, `bplist0` and a version, which CoreFoundation ignores; the objects; a table with the offset of each
/// object; and a trailer of 32 bytes, with the sizes of offsets and references, the number of objects, the outermost object, and
/// the beginning of the table. All numbers are big-endian.
struct BinaryPropertyListLayout {
    static let headerLength = 8
    static let trailerLength = 32

    let bytes: [UInt8]
    let objectCount: Int
    let topObject: Int
    /// The number of bytes of a reference to an object.
    let referenceSize: Int
    /// The beginning of the table of offsets, which is the end of the objects.
    let tableOffset: Int
    private let offsetSize: Int

    /// Throws `truncated` if there is no room for a trailer, and `malformed` if the trailer contradicts itself or the
    /// length of the file.
    init(_ bytes: [UInt8]) throws(PropertyListError) {
        let trailer = bytes.count - Self.trailerLength
        guard trailer > Self.headerLength + 1 else { throw PropertyListError(.truncated, at: bytes.count) }
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let fault = PropertyListError(.malformed, at: trailer)
        guard offsetSize > 0, referenceSize > 0,
            let tableOffset = Int(
                checked: Self.unsigned(in: bytes, at: trailer + 24, size: 8),
                in: (Self.headerLength + 1)...(trailer - 1)),
            let objectCount = Int(
                checked: Self.unsigned(in: bytes, at: trailer + 8, size: 8),
                in: 0...((trailer - tableOffset) / offsetSize)),
            objectCount > 0,
            let topObject = Int(
                checked: Self.unsigned(in: bytes, at: trailer + 16, size: 8), in: 0...(objectCount - 1))
        else { throw fault }
        self.objectCount = objectCount
        self.topObject = topObject
        self.tableOffset = tableOffset
    }

    /// Returns the offset of `object`, which must be less than ``objectCount``. Throws `malformed` if the offset is not
    /// among the objects.
    func offset(of object: Int) throws(PropertyListError) -> Int {
        let entry = tableOffset + object * offsetSize
        let number = Self.unsigned(in: bytes, at: entry, size: offsetSize)
        guard let offset = Int(checked: number, in: Self.headerLength...(tableOffset - 1)) else {
            throw PropertyListError(.malformed, at: entry)
        }
        return offset
    }

    /// Returns the object of the reference at `offset`. The bytes of the reference must be inside the file.
    func reference(at offset: Int) throws(PropertyListError) -> Int {
        let number = Self.unsigned(in: bytes, at: offset, size: referenceSize)
        guard let object = Int(checked: number, in: 0...(objectCount - 1)) else {
            throw PropertyListError(.malformed, at: offset)
        }
        return object
    }

    /// Returns the range of `count` items of `size` bytes from `start`, after a check that it is among the objects.
    func range(from start: Int, count: Int, size: Int) throws(PropertyListError) -> Range<Int> {
        guard start <= tableOffset, count <= (tableOffset - start) / size else {
            throw PropertyListError(.malformed, at: min(start, bytes.count))
        }
        return start..<(start + count * size)
    }

    /// Reads the number in the `size` bytes at `offset`, all of which must be inside the file. Of more than eight bytes, the
    /// last eight count.
    func unsigned(at offset: Int, size: Int) -> UInt64 {
        Self.unsigned(in: bytes, at: offset, size: size)
    }

    private static func unsigned(in bytes: [UInt8], at offset: Int, size: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in (offset + max(0, size - 8))..<(offset + size) { number = number << 8 | UInt64(bytes[index]) }
        return number
    }
}
