import SettingsKitPlatform

/// Resolves the objects of a binary property list.
///
/// Every object is read once and its value is shared by all references, so time and memory are in proportion to the file even if
/// the expanded value would be exponentially larger. Such files are still refused, because comparing or writing the value would
/// expand it: see ``PropertyListLimits``. There is no recursion, and an object that contains itself is refused.
struct BinaryPropertyListParser {
    private let layout: BinaryPropertyListLayout

    /// The state of each object: one of the marks, or the index of its value in ``results``.
    private var states: [UInt32]
    private static let unread = UInt32.max
    private static let pending = UInt32.max - 1
    private static let faulty = UInt32.max - 2

    private var results: [Result] = []
    private var open: [OpenContainer] = []
    /// The bytes allocated so far. With overlapping objects, these can be more than the value has.
    private var allocated = Size()

    /// The size of a value, if every shared part is counted each time.
    private struct Size {
        var values = 0
        var bytes = 0

        mutating func add(_ other: Size) {
            values = values.adding(checked: other.values) ?? .max
            bytes = bytes.adding(checked: other.bytes) ?? .max
        }
    }

    private struct Result {
        var value: PropertyListValue
        var size: Size
        /// The depth of arrays and dictionaries in the value, itself included.
        var height: Int
    }

    /// An array or dictionary that is not completely read.
    private struct OpenContainer {
        let object: Int
        let references: Range<Int>
        let count: Int
        let isDictionary: Bool
        var values: [PropertyListValue] = []
        var members: [PropertyListMember] = []
        var read = 0
        var size = Size(values: 1)
        var height = 1

        /// Adds the next item, in a dictionary with its key and the key's size.
        mutating func append(_ result: Result, key: (text: String, size: Size)?) {
            if let key {
                members.append(PropertyListMember(key: key.text, value: result.value))
                size.add(key.size)
            } else {
                values.append(result.value)
            }
            size.add(result.size)
            height = max(height, result.height + 1)
            read += 1
        }
    }

    init(_ layout: BinaryPropertyListLayout) throws(PropertyListError) {
        guard layout.objectCount < Self.faulty else { throw PropertyListError(.tooLarge) }
        self.layout = layout
        states = Array(repeating: Self.unread, count: layout.objectCount)
    }

    /// Returns the value of the outermost object.
    mutating func parseDocument() throws(PropertyListError) -> PropertyListValue {
        try resolve(layout.topObject, outerDepth: 0).value
    }

    private func checkLimits(_ size: Size) throws(PropertyListError) {
        guard size.values <= PropertyListLimits.expandedValues(fileSize: layout.bytes.count),
            size.bytes <= PropertyListLimits.expandedBytes(fileSize: layout.bytes.count)
        else { throw PropertyListError(.tooLarge) }
    }

    // MARK: Following references

    /// Returns the result of `object` with all references resolved. `outerDepth` is the number of containers around it.
    private mutating func resolve(_ object: Int, outerDepth: Int) throws(PropertyListError) -> Result {
        try read(object, outerDepth: outerDepth)
        while let last = open.indices.last {
            // Only single fields are read, because a copy of the container would make each addition copy its contents.
            let (isDictionary, read, count) = (open[last].isDictionary, open[last].read, open[last].count)
            if read == count {
                close()
                continue
            }
            let step = layout.referenceSize
            let keyReference = open[last].references.lowerBound + read * step
            let reference = isDictionary ? keyReference + count * step : keyReference
            let child = try layout.reference(at: reference)
            if states[child] == Self.unread {
                try self.read(child, outerDepth: outerDepth)
                continue
            }
            let result = try result(of: child, at: reference)
            guard outerDepth + open.count + result.height <= PropertyListLimits.depth else {
                throw PropertyListError(.tooDeep, at: reference)
            }
            let key = isDictionary ? try key(at: keyReference) : nil
            open[last].append(result, key: key)
            try checkLimits(open[last].size)
        }
        return try result(of: object, at: nil)
    }

    /// Reads `object`. A scalar is then complete; a container is pushed on the stack.
    private mutating func read(_ object: Int, outerDepth: Int) throws(PropertyListError) {
        guard states[object] == Self.unread else { return }
        let offset = try layout.offset(of: object)
        states[object] = Self.faulty
        switch try layout.object(at: offset) {
        case .scalar(let value, let payload):
            let size = Size(values: 1, bytes: payload)
            allocated.add(size)
            try checkLimits(allocated)
            var height = 0
            if case .dictionary = value { height = 1 }
            finish(object, Result(value: value, size: size, height: height))
        case .array(let references, let count):
            try push(OpenContainer(object: object, references: references, count: count, isDictionary: false))
        case .dictionary(let references, let count):
            try push(OpenContainer(object: object, references: references, count: count, isDictionary: true))
        }

        func push(_ container: OpenContainer) throws(PropertyListError) {
            guard outerDepth + open.count < PropertyListLimits.depth else {
                throw PropertyListError(.tooDeep, at: offset)
            }
            allocated.add(Size(values: container.count))
            try checkLimits(allocated)
            states[object] = Self.pending
            open.append(container)
        }
    }

    /// Pops a completely read container from the stack.
    private mutating func close() {
        guard let container = open.popLast() else { return }
        let value: PropertyListValue =
            container.isDictionary
            ? .dictionary(container.members.keepingLastOfEachKey()) : .array(container.values)
        finish(container.object, Result(value: value, size: container.size, height: container.height))
    }

    private mutating func finish(_ object: Int, _ result: Result) {
        states[object] = UInt32(results.count)
        results.append(result)
    }

    /// Returns the result of a read object. Throws `malformed` if it is broken, or still on the stack and so contains
    /// itself.
    private func result(of object: Int, at reference: Int?) throws(PropertyListError) -> Result {
        let state = states[object]
        guard state < Self.faulty else { throw PropertyListError(.malformed, at: reference) }
        return results[Int(clamping: state)]
    }

    /// Returns the decoded key of the reference at `offset`, and its size. Throws `malformed` if it is not a string.
    private mutating func key(at offset: Int) throws(PropertyListError) -> (text: String, size: Size) {
        let object = try layout.reference(at: offset)
        if states[object] == Self.unread {
            guard case .scalar = try layout.object(at: try layout.offset(of: object)) else {
                throw PropertyListError(.malformed, at: offset)
            }
            try read(object, outerDepth: 0)
        }
        let result = try result(of: object, at: offset)
        guard case .string(let text) = result.value else { throw PropertyListError(.malformed, at: offset) }
        return (PropertyListKey.decode(text), result.size)
    }
}
