#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONEncoder {
    /// Returns an encoder that encodes equal values as equal bytes, which a property list can store natively: sorted keys,
    /// slashes not escaped. A date is text in ISO 8601, or a number if it has none.
    package static func stable() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            if let text = date.iso8601 {
                try container.encode(text)
            } else {
                try container.encode(date.timeIntervalSinceReferenceDate)
            }
        }
        return encoder
    }
}

extension JSONDecoder {
    /// Returns a decoder of what ``JSONEncoder/stable()`` encodes. A date may also be a number: the seconds since 2001.
    package static func standard() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let text = optionalResult(of: container.decode, String.self) else {
                return Date(timeIntervalSinceReferenceDate: try container.decode(Double.self))
            }
            if let date = Date(iso8601: text) { return date }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a date.")
        }
        return decoder
    }
}
