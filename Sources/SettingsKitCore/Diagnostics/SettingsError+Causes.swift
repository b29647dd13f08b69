// The causes of errors of settings, layers and migrations. `CodingProblem` describes errors of encoders and decoders.

/// The reason why layers cannot be combined.
struct LayersProblem: ValueFreeError {
    let description: String

    init(_ description: String) { self.description = description }

    init(_ name: String, mustBe place: LayeredStore.Layer.Place) {
        let kind = place == .aboveWritable ? "locked" : "fallback"
        description = "The \(kind) layer \"\(name)\" must be \(place.rawValue) the writable layer."
    }

    var error: SettingsError { SettingsError(.invalidLayers, store: "LayeredStore", underlying: self) }
}

/// The error that a value encodes to the bytes that represent nil.
struct ReservedBytes: ValueFreeError {
    var description: String { "Its encoded form is the one that is reserved for nil." }
}

/// The error that a closure changes a value that its transaction has read, in a transaction of its own.
struct ClosureChangesWhatItReads: ValueFreeError {
    var description: String {
        "The closure changes it in another transaction each time that it runs. Change it only with the closure's argument."
    }
}

/// The error that a stored value cannot be used to calculate another.
struct StoredValueIsUnusable: ValueFreeError {
    let cause: SettingsError

    var description: String {
        "Nothing is calculated from the default while something else is stored. Set the value without reading it, or reset it. \(cause)"
    }
}

/// The error that a store's values cannot be used to calculate others.
struct StoreIsNotOpen: ValueFreeError {
    /// Whether the change is kept in memory.
    var isKept = false
    let cause: (any Error)?

    var description: String {
        let advice =
            isKept
            ? "The change is kept in memory, stored when the store opens, and lost if the process ends first."
            : "Nothing is calculated from stored values before the store is open. Set the value without reading it, or try again."
        return advice + (cause.map { " " + SettingsError.safeDescription(of: $0) } ?? "")
    }
}

/// The ids of applied versions that this program does not know.
struct UnknownVersions: ValueFreeError {
    let ids: [String]

    var description: String { "Unknown here: \(ids.map { "\"\($0)\"" }.joined(separator: ", "))." }
}
