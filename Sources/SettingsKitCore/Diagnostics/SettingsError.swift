/// What went wrong with a setting or a store, and what can be done about it.
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
/// Neither ``description`` nor anything else that this type prints holds a setting's value.
public struct SettingsError: Error, Sendable {
    /// What kind of thing went wrong. More codes may come: have a `default`.
    public struct Code: Hashable, Sendable {
        /// The code's name, `encodingFailed` for example. A store may use names of its own, best with a prefix.
        public let name: String
        /// A sentence of advice, shown in messages.
        let advice: String

        /// Makes a code for a store of your own.
        ///
        /// - Parameters:
        ///   - name: What tells the code from all others.
        ///   - advice: A sentence that says what failed and what to do about it.
        public init(name: String, advice: String) {
            self.name = name
            self.advice = advice
        }

        /// Whether the two have the same name.
        public static func == (one: Code, other: Code) -> Bool { one.name == other.name }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// What kind of thing went wrong.
    public let code: Code
    /// The setting concerned; nil when it was the whole store.
    public let key: SettingsService.StorageKey?
    /// The store or the file concerned, as it describes itself.
    public let store: String?
    /// The line of the store's file on which the value stands, where the store can tell.
    public let line: Int?
    /// What a system call or another library reported, if anything.
    ///
    /// Coding errors hold the value that failed, so they are replaced by a ``CodingProblem``.
    public let underlying: (any Error)?

    /// Makes an error, in a store of your own for example.
    public init(
        _ code: Code, key: SettingsService.StorageKey? = nil, store: String? = nil, underlying: (any Error)? = nil
    ) {
        self.init(code, key: key, store: store, line: nil, underlying: underlying)
    }

    private init(
        _ code: Code, key: SettingsService.StorageKey?, store: String?, line: Int?, underlying: (any Error)?
    ) {
        self.code = code
        self.key = key
        self.store = store
        self.line = line
        self.underlying = underlying.map { CodingProblem($0) ?? $0 }
    }

    /// The same error with what it lacks filled in.
    func completed(key: SettingsService.StorageKey?, store: String?, line: Int? = nil) -> SettingsError {
        SettingsError(
            code, key: self.key ?? key, store: self.store ?? store, line: self.line ?? line, underlying: underlying)
    }

    /// `error`, if it is a `SettingsError`, else one with `code` around it; with key and store filled in.
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
    /// The stored bytes are not a value of the setting's type. They stay until a new value is set. The setting reads as its
    /// default, or as the last good value if it became undecodable from outside while the program ran.
    public static let decodingFailed = Self(
        name: "decodingFailed",
        advice: "What is stored is not a value of the setting's type; it stays until a new value is set.")
    /// The store could not read.
    public static let readFailed = Self(
        name: "readFailed", advice: "The store could not be read; settings in it read as their defaults.")
    /// The store could not write; the old value stays.
    public static let writeFailed = Self(
        name: "writeFailed", advice: "The store could not be written; what it holds is unchanged.")
    /// The store's file could not be brought up to date, or made safe from a power failure; it is tried again. Nothing that
    /// was set is lost: a property list has it in its journal, other stores keep it in memory.
    public static let notSaved = Self(
        name: "notSaved",
        advice: "The file could not be brought up to date; changes are kept, and written when this is possible again. "
            + "Make room or check permissions.")
    /// The store cannot be opened, or not at present. Its file is left as it is.
    public static let storeUnavailable = Self(
        name: "storeUnavailable", advice: "The store cannot be opened; its file was not changed.")
    /// Another process, or another user of the file in this one, keeps the store's file locked, and does not go on.
    public static let busy = Self(
        name: "busy",
        advice: "Somebody else, most likely another process, keeps the file locked; nothing was written. Try again.")
    /// The store's file is damaged; it is kept aside, and what could be read of it is used.
    public static let damaged = Self(
        name: "damaged",
        advice: "The file is damaged; its intact part is used, and the file is kept aside before it is replaced.")
    /// Two files of the store do not belong together. The newer one is used, and the other is kept aside.
    public static let mismatchedFiles = Self(
        name: "mismatchedFiles",
        advice: "Two files of the store do not belong together; the newer one is used, and the other is kept aside "
            + "before it is replaced.")
    /// The journal of a property list cannot be used. The property list is read without it, and nothing can be written.
    public static let journalUnavailable = Self(
        name: "journalUnavailable",
        advice: "The journal cannot be used; the property list is read without it, and nothing can be written.")
    /// The store can only be read: it was opened for reading only, or its file or directory does not allow writing.
    public static let readOnly = Self(
        name: "readOnly", advice: "The store can only be read here; nothing was written.")
    /// The value, or the store with it, would be larger than the store can hold; the old value stays.
    public static let tooLarge = Self(
        name: "tooLarge", advice: "This is more than the store can hold; the old value stays.")
    /// The store lives in memory only, because there is no place for its file.
    public static let memoryOnly = Self(
        name: "memoryOnly",
        advice: "Settings are kept in memory only and end with the process; give the store a place to write to.")
    /// The store does not offer this operation.
    public static let unsupported = Self(
        name: "unsupported", advice: "This store does not offer the operation.")
    /// Others changed the same settings again and again, and an update did not get through.
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
    /// A sentence for people: what failed, on what, and what to do.
    public var description: String {
        var text = "\(code.name): \(code.advice)"
        if let key { text += " Setting: \(key)." }
        if let store { text += " Store: \(store)\(line.map { ", line \($0)" } ?? "")." }
        if let underlying { text += " Cause: \(Self.safeDescription(of: underlying))" }
        return text
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the underlying error's contents, so that `dump` shows no value.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// Errors that are known to hold no value are shown; of others only the type is.
    static func safeDescription(of error: any Error) -> String {
        if let error = error as? SettingsError { return error.description }
        if let error = error as? any ValueFreeError { return error.description }
        return "\(type(of: error))."
    }
}

/// An error whose description is known not to contain a setting's value; it may be shown in messages.
package protocol ValueFreeError: Error, CustomStringConvertible {}
