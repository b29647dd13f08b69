import Foundation
import SettingsKitCore

/// A value with a part that its stored form loses, which distinguishes a set value from a decoded one.
struct Marked: Sendable, Equatable, CustomStringConvertible {
    var number: Int
    /// The number of the operation that has set the value; 0 for a decoded value.
    var mark = 0

    var description: String { mark == 0 ? "\(number)" : "\(number)#\(mark)" }
}

/// Stores the number of a value as text, with a point in each direction.
struct MarkedTransformer: Transformer {
    struct NoValue: Error {}

    /// The number that cannot be encoded.
    static let unstorable = 13

    let decodable: Range<Int>
    let point: @Sendable (String) -> Void

    func transformValue(_ value: Marked) throws -> Data {
        point("encode")
        if value.number == Self.unstorable || !decodable.contains(value.number) { throw NoValue() }
        return Data("\(value.number)".utf8)
    }

    func untransformValue(_ output: Data) throws -> Marked {
        point("decode")
        guard let number = Int(String(decoding: output, as: UTF8.self)), decodable.contains(number) else {
            throw NoValue()
        }
        return Marked(number: number)
    }
}

/// A setting whose type and validation reject some of the stored texts.
struct ModelSetting: Sendable {
    let number: Int
    let name: String
    let decodable: Range<Int>
    let valid: Range<Int>
    let defaultNumber: Int
    let isComputed: Bool
    let isStored: Bool
    let setting: Setting<Marked>

    /// The settings of the model: two of one name that accept different texts, and one whose default is computed.
    ///
    /// - Parameter storesDefault: Whether that default is computed once, and stored by the first reader.
    static func all(storesDefault: Bool, point: @escaping @Sendable (String) -> Void) -> [ModelSetting] {
        [
            ModelSetting(0, "a", decodable: 0..<100, valid: 0..<60, default: 100, point),
            ModelSetting(1, "a", decodable: 0..<80, valid: 40..<100, default: 101, point),
            storesDefault
                ? ModelSetting(2, "b", decodable: 0..<100, valid: 0..<60, default: 50, isStored: true, point)
                : ModelSetting(2, "b", decodable: 0..<100, valid: 0..<60, default: 102, isComputed: true, point),
        ]
    }

    private init(
        _ number: Int, _ name: String, decodable: Range<Int>, valid: Range<Int>, default: Int, isComputed: Bool = false,
        isStored: Bool = false, _ point: @escaping @Sendable (String) -> Void
    ) {
        (self.number, self.name, self.decodable, self.valid) = (number, name, decodable, valid)
        (defaultNumber, self.isComputed, self.isStored) = (`default`, isComputed, isStored)
        let computed: @Sendable () -> Marked = {
            point("default")
            return Marked(number: `default`)
        }
        let constant = SettingsService.DefaultValue.constant(Marked(number: `default`))
        setting = Setting(
            name, in: .defaults, default: isStored ? .once(computed) : isComputed ? .computed(computed) : constant,
            transformer: MarkedTransformer(decodable: decodable, point: point),
            validation: .init("must be in range") {
                point("validate")
                return valid.contains($0.number)
            })
    }

    /// Returns why the setting rejects a stored text; nil if it accepts it.
    func problem(with text: String) -> SettingsError.Code? {
        guard let number = Int(text), decodable.contains(number) else { return .decodingFailed }
        return valid.contains(number) ? nil : .invalidValue
    }

    /// Returns why a value cannot be set.
    func problem(settingTo number: Int) -> SettingsError.Code? {
        guard valid.contains(number) else { return .invalidValue }
        return number == MarkedTransformer.unstorable || !decodable.contains(number) ? .encodingFailed : nil
    }

    /// Returns the number that the setting has with a stored text.
    func number(of text: String?) -> Int {
        guard let text, problem(with: text) == nil, let number = Int(text) else { return defaultNumber }
        return number
    }
}
