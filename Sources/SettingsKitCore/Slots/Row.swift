#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What one source holds under a name.
struct Held: Sendable {
    enum Content: Sendable, Equatable {
        case nothing
        /// The bytes of a store.
        case bytes(Data)
        /// A value of a text, such as an argument.
        indirect case text(SettingsStoreCandidate)
        /// The source cannot be read. Never kept.
        indirect case unreadable(SettingsError)

        init(_ data: Data?) { self = data.map { .bytes($0) } ?? .nothing }

        var data: Data? { if case .bytes(let data) = self { data } else { nil } }

        /// Whether there is a value, of which a setting's type decides whether it is in force.
        var isValue: Bool {
            switch self {
            case .bytes, .text: true
            case .nothing, .unreadable: false
            }
        }

        var problem: SettingsError? { if case .unreadable(let error) = self { error } else { nil } }

        static func == (one: Self, other: Self) -> Bool {
            switch (one, other) {
            // A source that still cannot be read counts as unchanged.
            case (.nothing, .nothing), (.unreadable, .unreadable): true
            case (.bytes(let one), .bytes(let other)): one == other
            case (.text(let one), .text(let other)): one == other
            default: false
            }
        }
    }

    var content: Content
    /// Whether another process or a person put it there while the setting was in use. Rejected, it leaves the value before in force.
    var isFromOutside = false
}

/// What the sources of a connection hold under a name, the highest first. An element that is not known is nil.
typealias Row = [Held?]

extension [Held?] {
    /// The bytes of the first store that has any.
    var data: Data? { lazy.compactMap { $0?.content.data }.first }

    /// Whether a source has a value.
    var hasValue: Bool { contains { $0?.content.isValue ?? false } }

    /// Returns whether both hold the same, as far as it is known.
    func isSame(as other: Row) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0?.content == $1?.content }
    }

    /// Returns the row with another content of a source.
    func replacing(_ index: Int, by content: Held.Content) -> Row {
        var row = self
        if index < row.count { row[index] = Held(content: content) }
        return row
    }
}

/// What is in force of a setting: the value of the first source whose value the setting accepts, or the default.
final class Verdict: Sendable {
    /// A value that the setting does not accept, or a source that cannot be read.
    struct Rejection: Sendable {
        let source: Int
        let data: Data?
        let error: SettingsError
    }

    /// The value; nil for the default, which may be another one each time.
    let value: (any Sendable)?
    /// The source of the value, and what it held; nil for the default.
    let origin: (source: Int, content: Held.Content)?
    /// What was rejected above the value in force.
    let rejections: [Rejection]

    init(_ value: (any Sendable)?, of origin: (source: Int, content: Held.Content)?, rejecting rejections: [Rejection])
    {
        (self.value, self.origin, self.rejections) = (value, origin, rejections)
    }

    /// Returns whether readers get the same value.
    func isSame(as other: Verdict) -> Bool {
        switch (origin?.content, other.origin?.content) {
        case (nil, nil): true
        case (.bytes(let one)?, .bytes(let other)?): one == other
        case (let one?, let known?): one == known && origin?.source == other.origin?.source
        default: false
        }
    }
}

/// A value that this program sets, and the bytes that are written for it. Its commit hands the value to the slot.
final class SetValue: Sendable {
    let slot: AnySlot
    let data: Data
    let value: any Sendable

    init(_ value: any Sendable, as data: Data, in slot: AnySlot) {
        (self.value, self.data, self.slot) = (value, data, slot)
    }
}
