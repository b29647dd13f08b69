/// The value of a setting among the stored ones, and its source.
///
/// An object, because it is passed on with every change, and copies would cost more.
final class Resolution: Sendable {
    /// A candidate that the setting rejects.
    struct Rejection: Sendable {
        let candidate: SettingsStoreCandidate
        let error: SettingsError
    }

    /// The value, of the setting's type.
    let value: any Sendable
    /// The candidate that has the value, with the last good bytes of its layer if these are in force; nil for the default.
    let candidate: SettingsStoreCandidate?
    /// The candidates above it.
    let rejections: [Rejection]

    init(value: any Sendable, candidate: SettingsStoreCandidate?, rejections: [Rejection] = []) {
        (self.value, self.candidate, self.rejections) = (value, candidate, rejections)
    }

    /// Returns whether both have the same value: the default, or that of the same bytes.
    func isSame(as other: Resolution) -> Bool {
        guard let candidate, let known = other.candidate else { return candidate == nil && other.candidate == nil }
        if candidate.form == .stored && known.form == .stored { return candidate.data == known.data }
        return candidate == known
    }
}

/// Judges stored bytes: the coding of a setting.
protocol ValueJudge: AnyObject, Sendable {
    /// The value while no value is in force.
    var erasedDefault: any Sendable { get }

    /// Returns whether a candidate can set the setting.
    func concerns(_ candidate: SettingsStoreCandidate) -> Bool

    /// Returns the value of a candidate.
    ///
    /// - Throws: The reason if the setting rejects it.
    func accept(_ candidate: SettingsStoreCandidate) throws(SettingsError) -> any Sendable
}

extension ValueCoding: ValueJudge {
    var erasedDefault: any Sendable { defaultValue }

    func accept(_ candidate: SettingsStoreCandidate) throws(SettingsError) -> any Sendable { try value(of: candidate) }
}
