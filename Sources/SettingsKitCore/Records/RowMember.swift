#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A field that was added to a row. It is serialized when its bytes are needed.
protocol RowMember {
    /// Returns the field's JSON.
    func encoded() throws -> Data
    /// Returns whether the other field has the same JSON, as far as that is known without serializing.
    func isIdentical(to other: any RowMember) -> Bool
}

/// A field with a value.
struct ValueMember<Value: Encodable>: RowMember {
    let value: Value

    func encoded() throws -> Data { try JSONScalars.data(ofMember: value) }

    /// Values with the same bits are the same value: numbers with the same digits, or references to the same objects, as in a copy
    /// of a record whose field was not changed. Equality is not enough: `0.0` and `-0.0` are equal and have different JSON, and a
    /// type may define different values as equal. Values with other bits can still have the same JSON.
    func isIdentical(to other: any RowMember) -> Bool {
        guard let other = other as? Self else { return false }
        return withUnsafeBytes(of: value) { bytes in
            withUnsafeBytes(of: other.value) { bytes.elementsEqual($0) }
        }
    }
}

/// A field whose JSON is known.
struct DataMember: RowMember {
    let data: Data

    func encoded() -> Data { data }

    func isIdentical(to other: any RowMember) -> Bool { (other as? Self)?.data == data }
}
