/// Cuts a stream into lines. The gateway sends each message of a stream as a line.
struct LineSplitter {
    /// The longest line in bytes.
    let limit: Int
    private var rest: [UInt8] = []

    init(limit: Int) { self.limit = limit }

    /// Takes arriving bytes, in pieces of any size, and calls `body` with each complete line. Empty lines are skipped.
    mutating func add(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (ArraySlice<UInt8>) throws(GatewayFailure) -> Void
    ) throws(GatewayFailure) {
        var start = 0
        // The rest of earlier pieces has no line break, so only new bytes are searched.
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            try append(bytes[start..<end])
            start = end + 1
            defer { rest.removeAll(keepingCapacity: rest.capacity < 1 << 16) }
            if !rest.isEmpty { try body(rest[...]) }
        }
        try append(bytes[start...])
    }

    private mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) throws(GatewayFailure) {
        guard rest.count + bytes.count <= limit else { throw .tooLong(limit: limit) }
        rest.append(contentsOf: bytes)
    }
}
