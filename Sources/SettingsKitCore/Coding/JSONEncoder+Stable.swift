#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONEncoder {
    /// Returns an encoder that encodes equal values as equal bytes, which a property list can store natively: sorted keys,
    /// slashes not escaped.
    package static func stable() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
