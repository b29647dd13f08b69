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

    /// The same error for a writing store, which keeps a copy of a file before it replaces the file.
    package var keepingFilesAside: SettingsError {
        guard code == .damaged else { return self }
        let code = Code(name: code.name, advice: code.advice + " The file is kept aside before it is replaced.")
        return SettingsError(
            code, key: key, store: store, line: line, layer: layer, expected: expected, underlying: underlying)
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
    /// No store is registered for the setting's scope: it reads as its default and cannot be set.
    public static let noStore = Self(
        name: "noStore", advice: "No store is registered for this scope; pass one to the service or register it.")
    /// The value has no encoded form; the old value stays.
    public static let encodingFailed = Self(
        name: "encodingFailed", advice: "The value cannot be encoded; the old value stays.")
    /// The stored bytes cannot be decoded as the setting's type. They stay until a new value is set. The setting has its default,
    /// or the last good value if the bytes are an external change while the program ran.
    public static let decodingFailed = Self(
        name: "decodingFailed",
        advice: "The stored bytes are not a value of the setting's type; they stay until a new value is set.")
    /// The setting's validation or type rejects the value. If a call passed the value, nothing is stored. If a store has the value,
    /// it stays there, and the setting has the last good value, the next layer's or its default.
    public static let invalidValue = Self(
        name: "invalidValue", advice: "The setting rejects this value.")
    /// A layer above the one that is written to has a value, or cannot be read, so the setting cannot be changed.
    public static let locked = Self(
        name: "locked",
        advice: "The setting is locked by a layer above the one that is written to; change or remove the value there.")
    /// The same code, if the layer cannot be read.
    static let lockedByUnreadableLayer = Self(
        name: locked.name,
        advice: "The setting is locked, because a layer above the one that is written to cannot be read; "
            + "repair that layer.")
    /// The store could not read.
    public static let readFailed = Self(
        name: "readFailed",
        advice: "The store could not be read; settings whose values are not known read as their defaults.")
    /// The store could not write; the old value stays.
    public static let writeFailed = Self(
        name: "writeFailed", advice: "The store could not be written; what it holds is unchanged.")
    /// The store's file could not be updated, or flushed to the disk; the store tries again. No change is lost: a property list has
    /// it in its journal, other stores keep it in memory.
    public static let notSaved = Self(
        name: "notSaved",
        advice: "The file could not be brought up to date; changes are kept, and written when this is possible again. "
            + "Make room or check permissions.")
    /// The store cannot be opened now. Its file is not changed.
    public static let storeUnavailable = Self(
        name: "storeUnavailable", advice: "The store cannot be opened; its file was not changed.")
    /// A library of the system that the store needs is missing or too old.
    public static let libraryUnavailable = Self(
        name: "libraryUnavailable",
        advice: "A library of the system that the store needs is missing or too old; install it.")
    /// Another process, or another access by this one, has used the store's file for too long.
    public static let busy = Self(
        name: "busy",
        advice: "Another process, or another access of this one, uses the file; nothing was written. Try again.")
    /// The store's file is damaged, and its intact part is used; or two files of the store do not belong together, and the newer
    /// one is used. A store that writes keeps a copy of the damaged or the older file.
    public static let damaged = Self(
        name: "damaged", advice: "The file is damaged; its intact part is used.")
    /// The same code, if two files do not belong together.
    package static let mismatchedFiles = Self(
        name: damaged.name,
        advice: "Two files of the store do not belong together; the newer one is used.")
    /// The journal of a property list cannot be used. The property list is read without it, and nothing can be written.
    public static let journalUnavailable = Self(
        name: "journalUnavailable",
        advice: "The journal cannot be used; the property list is read without it, and nothing can be written.")
    /// The store is read-only: it was opened for reading only, or its file or directory does not allow writing.
    public static let readOnly = Self(
        name: "readOnly", advice: "The store can only be read here; nothing was written.")
    /// The value would make the store larger than its limit; the old value stays.
    public static let tooLarge = Self(
        name: "tooLarge", advice: "The value exceeds the limit of the store; the old value stays.")
    /// The store keeps values only in memory, because it has no place for its file.
    public static let memoryOnly = Self(
        name: "memoryOnly",
        advice: "Settings are kept in memory only and end with the process; give the store a place to write to.")
    /// The store does not offer this operation.
    public static let unsupported = Self(
        name: "unsupported", advice: "This store does not offer the operation.")
    /// Other threads or processes kept changing the same settings, so an update failed.
    public static let conflict = Self(
        name: "conflict", advice: "The settings kept changing while they were updated; nothing was written.")
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
