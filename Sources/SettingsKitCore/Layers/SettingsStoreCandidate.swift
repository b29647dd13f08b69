#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The value of a setting in one layer of a store.
///
/// A setting uses the first one that its type and its validation accept, the highest layer first.
package struct SettingsStoreCandidate: Hashable, Sendable {
    /// The representation of a value in ``data``.
    package enum Form: Hashable, Sendable {
        /// The bytes that the setting's transformer writes.
        case stored
        /// Text in UTF-8, from an environment variable or an argument such as `--volume=0.8`. The type of the setting determines
        /// its meaning.
        case text
        /// An argument without a value in it, such as `--muted` or `--volume`. ``data`` is `true`, or `false` for `--no-muted`, and
        /// is the value of a Boolean setting, unless the text after `--muted` is exactly `true` or `false`. A setting of another type
        /// uses the text after the argument, or for `--no-volume` that of `--volume`; nil if there is none. `--no-volume` alone does
        /// not set a number.
        case argument(next: String?)
        /// JSON, from a file. A string can be the text of any type.
        case json
        /// The bytes of a file with one value: the value of a setting of the type `Data`, and otherwise text in UTF-8, without a
        /// byte order mark and the line break at the end.
        case file
    }

    /// The bytes or the text.
    package var data: Data
    /// The representation of the value.
    package var form: Form
    /// The name of the layer; nil for the layer that is written to, and for a store without layers.
    package var layer: String?
    /// Whether the value cannot be changed, because the layer is above the one that is written to.
    package var isLocking: Bool
    /// The place of the value in the layer, for messages: the name of an environment variable or an argument, or the line in a
    /// file. Nil if it is the name of the setting. Not compared: the value stays the same if it moves.
    package var location: String?
    /// Whether lists of settings hide the value, because the layer has secrets.
    package var isSecret = false
    /// The texts of the same option before the last one: `--host=a --host=b`. They are elements of a list, and nothing to a setting
    /// of another type.
    package var earlierTexts: [String] = []

    /// Creates a candidate.
    package init(
        _ data: Data, form: Form = .stored, layer: String? = nil, isLocking: Bool = false, location: String? = nil
    ) {
        self.data = data
        self.form = form
        self.layer = layer
        self.isLocking = isLocking
        self.location = location
    }
}

extension SettingsStoreCandidate {
    /// Returns whether the candidate can set a setting: `--no-port` alone does not set a number.
    ///
    /// - Parameter isFlag: Whether the setting is a Boolean.
    func concerns(isFlag: Bool) -> Bool { form != .argument(next: nil) || isFlag || data != Data("false".utf8) }

    /// Returns the texts of a value that is not in stored form: the last one is that of a value which is no list. None for an option
    /// without its value; nil if the bytes are no text, or JSON that no value of the type has.
    ///
    /// - Parameter type: Returns the description of the type.
    func texts(isFlag: Bool, of type: () -> ValueDescription) -> [String]? {
        switch form {
        case .stored, .text: return earlierTexts + [text]
        case .argument(let next):
            guard isFlag else { return next.map { earlierTexts + [$0] } ?? [] }
            return [text == "true" && ArgumentText.isFlagValue(next) ? next ?? text : text]
        case .json: return JSONValue(json: data).flatMap(type().text).map { [$0] }
        case .file: return fileText(of: type).map { [$0] }
        }
    }

    private var text: String { String(decoding: data, as: UTF8.self) }

    private func fileText(of type: () -> ValueDescription) -> String? {
        let type = type()
        if type.encoding == Data.textType.encoding {
            return data.base64EncodedString()
        }
        var bytes = data.dropFirst(data.starts(with: FileBytes.byteOrderMark) ? 3 : 0)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Compares everything but the location.
    package static func == (one: Self, other: Self) -> Bool {
        one.data == other.data && one.form == other.form && one.layer == other.layer
            && one.isLocking == other.isLocking && one.isSecret == other.isSecret
            && one.earlierTexts == other.earlierTexts
    }

    /// Hashes the bytes and the layer.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(data)
        hasher.combine(layer)
    }
}
