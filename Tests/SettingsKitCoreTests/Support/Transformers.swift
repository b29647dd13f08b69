import Foundation
import SettingsKitCore

/// A toy seal: masks each byte and appends a checksum that is verified.
struct XorTransformer: Transformer {
    struct Broken: Error {}

    let mask: UInt8

    func transformValue(_ value: Data) -> Data {
        let masked = Data(value.map { $0 ^ mask })
        return masked + [masked.reduce(0, &+)]
    }

    func untransformValue(_ output: Data) throws -> Data {
        guard let sum = output.last, output.dropLast().reduce(0, &+) == sum else { throw Broken() }
        return Data(output.dropLast().map { $0 ^ mask })
    }
}

/// JSON with a function called before each half.
struct HookedTransformer<Value: Codable & Sendable>: Transformer {
    private let json = JSONTransformer<Value>()
    let onTransform: @Sendable (Value) throws -> Void
    let onUntransform: @Sendable (Data) throws -> Void

    init(
        onTransform: @escaping @Sendable (Value) throws -> Void = { _ in },
        onUntransform: @escaping @Sendable (Data) throws -> Void = { _ in }
    ) {
        self.onTransform = onTransform
        self.onUntransform = onUntransform
    }

    func transformValue(_ value: Value) throws -> Data {
        try onTransform(value)
        return try json.transformValue(value)
    }

    func untransformValue(_ output: Data) throws -> Value {
        try onUntransform(output)
        return try json.untransformValue(output)
    }
}

/// A date as the text of its seconds.
struct DateTransformer: Transformer {
    struct NoNumber: Error {}

    func transformValue(_ value: Date) -> Data { Data("\(value.timeIntervalSinceReferenceDate)".utf8) }

    func untransformValue(_ output: Data) throws -> Date {
        guard let seconds = Double(String(decoding: output, as: UTF8.self)) else { throw NoNumber() }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

/// JSON of a list with the value in it; JSON's own null is not read.
struct ListTransformer<Value: Codable & Sendable>: Transformer {
    private let json = JSONTransformer<[Value]>()

    func transformValue(_ value: Value) throws -> Data { try json.transformValue([value]) }

    func untransformValue(_ output: Data) throws -> Value {
        guard let value = try json.untransformValue(output).first else { throw DateTransformer.NoNumber() }
        return value
    }
}
