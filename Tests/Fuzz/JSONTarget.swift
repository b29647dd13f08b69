import Foundation
import SettingsKitCore

@testable import SettingsKitFiles

extension FuzzTarget {
    /// The bytes of a value, and the native value in whose place they come.
    static let json = FuzzTarget(name: "json") { bytes in
        var input = FuzzInput(bytes)
        let isOldBuilt = input.byte() & 1 == 0
        let old = isOldBuilt ? input.value(depth: 3) : NativeValue.value(for: Data(input.file()))
        let text = Data(input.remainder)
        for value in [NativeValue.value(for: text), NativeValue.value(for: text, resembling: old)] {
            require(NativeValue.bytes(of: value) == text, "the bytes of a value come back")
            try requireRoundTrip(value)
            if case .data = value { continue }
            let isValue = text.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: UInt8.self) { JSONScanner.isValue($0) }
            }
            guard case .real(let number) = value, !number.isFinite else {
                guard !containsInfinite(value) else { continue }
                require(isValue, "a native value is valid JSON")
                do {
                    _ = try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)
                } catch {
                    fatalError("Foundation reads the JSON of a native value: \(error)")
                }
                continue
            }
        }
    } seeds: {
        let bodies = [
            "{\"a\":[1,-2,3.5,true,false,\"x\"],\"b\":{\"c\":\"d\"}}", "\"\\u0001\\n\\\"\u{E9}\u{1F600}\"", "-0",
            "1e-7", "null",
            "18446744073709551615", "-9223372036854775809", "[[[[]]],{}]", "\"\\ud83d\\ude00\"", "5e+300", "700000000",
            "\"QUI=\"",
        ]
        let old = "{\"a\":[1.5,2],\"b\":{\"c\":1}}"
        return bodies.flatMap { [[0, 5, 0, 0] + Array($0.utf8), [1] + FuzzInput.file(old.utf8) + Array($0.utf8)] }
    }

    private static func containsInfinite(_ value: PropertyListValue) -> Bool {
        switch value {
        case .real(let number): !number.isFinite
        case .array(let values): values.contains(where: containsInfinite)
        case .dictionary(let members): members.contains { containsInfinite($0.value) }
        default: false
        }
    }
}
