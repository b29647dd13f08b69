/// Arithmetic with integers from files, which may have any value.
///
/// Swift's conversions and operators end the process if a result does not fit its type. Numbers from a file, and
/// numbers calculated from them, go through these functions instead, which return nil.
extension FixedWidthInteger {
    /// Creates an integer from one that was read from a file.
    ///
    /// Returns nil if the type cannot hold the number, or the number lies outside of `limits`.
    @inlinable package init?(checked number: some BinaryInteger, in limits: ClosedRange<Self> = .min ... .max) {
        guard let exact = Self(exactly: number), limits.contains(exact) else { return nil }
        self = exact
    }

    /// The sum of this integer and one that was read from a file; nil if the type cannot hold it.
    @inlinable package func adding(checked number: some BinaryInteger) -> Self? {
        guard let exact = Self(exactly: number) else { return nil }
        let (sum, overflow) = addingReportingOverflow(exact)
        return overflow ? nil : sum
    }

    /// The product of this integer and one that was read from a file; nil if the type cannot hold it.
    @inlinable package func multiplied(byChecked number: some BinaryInteger) -> Self? {
        guard let exact = Self(exactly: number) else { return nil }
        let (product, overflow) = multipliedReportingOverflow(by: exact)
        return overflow ? nil : product
    }

    /// Creates an integer from text that consists of digits, in lower or upper case, without a sign.
    ///
    /// Returns nil if there are no digits or other bytes, or if the type cannot hold the number.
    @inlinable package init?(checkedDigits text: some Sequence<UInt8>, radix: UInt32 = 10) {
        var number: Self?
        for byte in text {
            guard let digit = byte.digit(radix: radix),
                let sum = (number ?? 0).multiplied(byChecked: radix)?.adding(checked: digit)
            else { return nil }
            number = sum
        }
        guard let number else { return nil }
        self = number
    }
}

extension UInt8 {
    /// The value of this ASCII digit. Nil if it is not a digit in `radix`, which is 10 or 16.
    @inlinable package func digit(radix: UInt32) -> UInt32? {
        switch self {
        case 0x30...0x39: UInt32(self - 0x30)
        case 0x41...0x46 where radix == 16: UInt32(self - 0x41 + 10)
        case 0x61...0x66 where radix == 16: UInt32(self - 0x61 + 10)
        default: nil
        }
    }
}
