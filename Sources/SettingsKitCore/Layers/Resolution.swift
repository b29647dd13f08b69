#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The value of a setting among the stored ones, and its source.
struct Resolution<Value: Sendable>: Sendable {
    /// A candidate that the setting rejects.
    struct Rejection: Sendable {
        let candidate: SettingsStoreCandidate
        let error: SettingsError
    }

    var value: Value
    /// The candidate that has the value, with the last good bytes of its layer if these are in force; nil for the default.
    var candidate: SettingsStoreCandidate?
    /// The candidates above it.
    var rejections: [Rejection] = []

    /// The stored value in force, without the other layers: two of these are equal if the setting's value is.
    var inForce: StoredValue {
        guard let candidate else { return .nothing }
        return StoredValue(candidate.data, candidates: candidate.form == .stored ? nil : [candidate])
    }

    /// The same resolution with a type-erased value.
    var erased: Resolution<any Sendable> {
        .init(
            value: value, candidate: candidate,
            rejections: rejections.map { .init(candidate: $0.candidate, error: $0.error) })
    }
}

extension ValueCoding {
    /// Returns the value in force: that of the first candidate that the setting accepts, or the default.
    ///
    /// - Parameters:
    ///   - stored: The stored values.
    ///   - set: The value that this program has set, and its bytes, so that they need not be decoded.
    ///   - lastGood: Returns the last good bytes of a layer whose bytes are bad; nil if there are none.
    func resolve(
        _ stored: StoredValue, set: SetValue? = nil,
        lastGood: (SettingsStoreCandidate) -> Data?? = { _ in nil }
    ) -> Resolution<Value> {
        guard let candidates = stored.candidates else {
            // Most stores have no layers, and need no array.
            guard let data = stored.data else { return Resolution(value: defaultValue) }
            var rejections: [Resolution<Value>.Rejection] = []
            let found = accept(SettingsStoreCandidate(data), set, lastGood, &rejections)
            return Resolution(value: found?.value ?? defaultValue, candidate: found?.candidate, rejections: rejections)
        }
        var rejections: [Resolution<Value>.Rejection] = []
        for candidate in candidates where concerns(candidate) {
            if let (value, candidate) = accept(candidate, set, lastGood, &rejections) {
                return Resolution(value: value, candidate: candidate, rejections: rejections)
            }
        }
        return Resolution(value: defaultValue, rejections: rejections)
    }

    /// Returns the value of a candidate, or the last good one of its layer; nil if the next layer is to be used.
    private func accept(
        _ candidate: SettingsStoreCandidate, _ set: SetValue?, _ lastGood: (SettingsStoreCandidate) -> Data??,
        _ rejections: inout [Resolution<Value>.Rejection]
    ) -> (value: Value, candidate: SettingsStoreCandidate)? {
        // In two steps: casting "no value" to an optional type would give its nil.
        if let set, candidate.layer == nil, set.data == candidate.data, let value = set.value as? Value {
            return (value, candidate)
        }
        do throws(SettingsError) {
            return (try value(of: candidate), candidate)
        } catch {
            rejections.append(.init(candidate: candidate, error: error))
        }
        guard case let data?? = lastGood(candidate) else { return nil }
        do throws(SettingsError) {
            let value = try value(for: data)
            var good = candidate
            good.data = data
            return (value, good)
        } catch {
            // The bytes from before were no value either. They were diagnosed when they were read.
            return nil
        }
    }
}
