/// An error of a setting or a store. Its message says what failed, on what, and what to do.
///
/// Match on the code:
///
/// ```swift
/// do {
///     try settings.save(.theme, to: .dark)
/// } catch SettingsError.Code.storeUnavailable {
///     ...
/// } catch let error as SettingsError where error.key?.name == "theme" {
///     ...
/// }
/// ```
///
/// Neither ``description`` nor any other output of this type contains a setting's value.
public struct SettingsError: Error, Sendable {
    /// The kind of an error. Codes may be added, so have a `default`.
    public struct Code: Hashable, CustomStringConvertible, NonisolatedExtensions, Sendable {
        /// The code's name, for example `encodingFailed`. A store may use custom names, preferably with a prefix.
        public let name: String
        /// The advice that messages show.
        let advice: String

        /// Creates a code for a custom store.
        ///
        /// - Parameters:
        ///   - name: The name, which distinguishes the code from all others.
        ///   - advice: A sentence that says what failed and what to do about it.
        public init(name: String, advice: String) {
            self.name = name
            self.advice = advice
        }

        /// The name.
        public var description: String { name }

        /// Compares the names.
        public static func == (one: Code, other: Code) -> Bool { one.name == other.name }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// The kind of the error.
    public let code: Code
    /// The setting; nil if the error concerns the whole store.
    public let key: SettingsService.StorageKey?
    /// The store or the file, as it describes itself.
    public let store: String?
    /// The line of the store's file that has the value, if the store knows it.
    public let line: Int?
    /// The layer of the store that has the value or locks it, if it is not the one that is written to.
    public let layer: String?
    /// The value that the setting expects, if a value is invalid or cannot be parsed: "an integer from 1 to 65535", for example.
    public let expected: String?
    /// The error of a system call or another library, if there is one.
    ///
    /// Coding errors contain the value, so they are replaced by a ``CodingProblem``.
    public let underlying: (any Error)?

    /// Creates an error, for example in a custom store.
    public init(
        _ code: Code, key: SettingsService.StorageKey? = nil, store: String? = nil, layer: String? = nil,
        expected: String? = nil, underlying: (any Error)? = nil
    ) {
        self.init(code, key: key, store: store, line: nil, layer: layer, expected: expected, underlying: underlying)
    }

    private init(
        _ code: Code, key: SettingsService.StorageKey?, store: String?, line: Int?, layer: String?, expected: String?,
        underlying: (any Error)?
    ) {
        self.code = code
        self.key = key
        self.store = store
        self.line = line
        self.layer = layer
        self.expected = expected
        self.underlying = underlying.map { CodingProblem($0) ?? $0 }
    }

    /// Returns the same error with missing properties filled in.
    package func completed(
        key: SettingsService.StorageKey?, store: String?, line: Int? = nil, layer: String? = nil,
        expected: String? = nil
    ) -> SettingsError {
        SettingsError(
            code, key: self.key ?? key, store: self.store ?? store, line: self.line ?? line, layer: self.layer ?? layer,
            expected: self.expected ?? expected, underlying: underlying)
    }

    /// Returns `error` if it is a `SettingsError`, otherwise an error with `code` that wraps it, with key and store filled in.
    package static func wrap(
        _ error: any Error, as code: Code, key: SettingsService.StorageKey? = nil, store: String? = nil
    ) -> SettingsError {
        let settingsError = error as? SettingsError ?? SettingsError(code, underlying: error)
        return settingsError.completed(key: key, store: store)
    }
}

extension SettingsError.Code {
    /// Lets `catch SettingsError.Code.noStore` match any error.
    public static func ~= (code: SettingsError.Code, error: any Error) -> Bool {
        (error as? SettingsError)?.code == code
    }
}

extension SettingsError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A message for people: what failed, on what, and what to do.
    public var description: String {
        // For the person who has typed the arguments, who needs neither the code nor the advice.
        if let problems = underlying as? ArgumentProblems { return problems.description }
        var text = "\(code.name): \(code.advice)"
        if let key { text += " Setting: \(key)." }
        if let layer { text += " Layer: \(layer)." }
        if let store { text += " Store: \(store)\(line.map { ", line \($0)" } ?? "")." }
        if let expected { text += " Expected: \(expected)." }
        if let underlying { text += " Cause: \(Self.safeDescription(of: underlying))" }
        return text
    }

    /// The message, as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the underlying error's contents, so that `dump` shows no value.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// Describes an error. Errors that contain no value are shown. Of other errors, only the type is shown.
    static func safeDescription(of error: any Error) -> String {
        if let error = error as? SettingsError { return error.description }
        if let error = error as? any ValueFreeError { return error.description }
        return "\(type(of: error))."
    }
}

/// An error whose description contains no value, so messages may show it.
package protocol ValueFreeError: Error, CustomStringConvertible {}
