import SettingsKitPlatform

/// Turns the objects of a binary property list into its value.
///
/// Every object is read once and its value shared wherever it is referred to, so that time and memory are in
/// proportion to the file even where the value, spelled out, would be exponentially larger. Such files are refused
/// all the same, because comparing or writing the value would spell it out: see ``PropertyListLimits``. Objects are
/// followed without recursion; an object that contains itself is refused.
struct BinaryPropertyListParser {
    private let layout: BinaryPropertyListLayout

    /// What is known of each object: one of the marks, or the index of its value among ``results``.
    private var states: [UInt32]
    private static let unread = UInt32.max
    private static let pending = UInt32.max - 1
    private static let faulty = UInt32.max - 2

    private var results: [Result] = []
    private var open: [OpenContainer] = []
    /// What has been allocated so far, which overlapping objects can make more than what the value stands for.
    private var allocated = Size()

    /// How much a value is when every shared part of it is counted each time.
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
        /// How many arrays and dictionaries are nested in the value, itself counted.
        var height: Int
    }

    /// An array or dictionary some of whose contents have not been read.
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

        /// Takes in the next of the contents, in a dictionary with its key and the key's size.
        mutating func take(_ result: Result, key: (text: String, size: Size)?) {
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

    /// The value of the outermost object.
    mutating func parseDocument() throws(PropertyListError) -> PropertyListValue {
        try resolve(layout.topObject, outerDepth: 0).value
    }

    /// The pairs of the outermost dictionary both parts of which can be resolved; none where the outermost object is
    /// not a dictionary.
    mutating func recoverMembers() -> [PropertyListMember] {
        var members: [PropertyListMember] = []
        var size = Size()
        do throws(PropertyListError) {
            let offset = try layout.offset(of: layout.topObject)
            guard case .dictionary(let references, let count) = try layout.object(at: offset) else { return [] }
            states[layout.topObject] = Self.faulty
            for index in 0..<count {
                let keyReference = references.lowerBound + index * layout.referenceSize
                do throws(PropertyListError) {
                    let key = try key(at: keyReference)
                    let value = try layout.reference(at: keyReference + count * layout.referenceSize)
                    let result = try resolve(value, outerDepth: 1)
                    var sum = size
                    sum.add(key.size)
                    sum.add(result.size)
                    try checkLimits(sum)
                    size = sum
                    members.append(PropertyListMember(key: key.text, value: result.value))
                } catch {
                    // What contains a broken object is broken itself; marked so that it is not tried again.
                    for container in open { states[container.object] = Self.faulty }
                    open.removeAll()
                }
            }
        } catch {
            return []
        }
        return members.keepingLastOfEachKey()
    }

    private func checkLimits(_ size: Size) throws(PropertyListError) {
        guard size.values <= PropertyListLimits.expandedValues(fileSize: layout.bytes.count),
            size.bytes <= PropertyListLimits.expandedBytes(fileSize: layout.bytes.count)
        else { throw PropertyListError(.tooLarge) }
    }

    // MARK: Following references

    /// The result for `object`, everything it refers to resolved. `outerDepth` is the number of containers it is in.
    private mutating func resolve(_ object: Int, outerDepth: Int) throws(PropertyListError) -> Result {
        try read(object, outerDepth: outerDepth)
        while let last = open.indices.last {
            // Only single fields are taken out, as a copy of the container would make each addition copy its contents.
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
            open[last].take(result, key: key)
            try checkLimits(open[last].size)
        }
        return try result(of: object, at: nil)
    }

    /// Reads `object`: a scalar is complete then, a container is put on the stack.
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

    /// Takes the container whose contents are complete off the stack.
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

    /// The result for an object that has been read. Throws `malformed` where it is broken or still on the stack, and
    /// so contains itself.
    private func result(of object: Int, at reference: Int?) throws(PropertyListError) -> Result {
        let state = states[object]
        guard state < Self.faulty else { throw PropertyListError(.malformed, at: reference) }
        return results[Int(state)]
    }

    /// The key that the reference at `offset` names, decoded, and its size. Throws `malformed` where it is no string.
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
