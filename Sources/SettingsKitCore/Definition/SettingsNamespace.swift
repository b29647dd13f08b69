/// Groups settings whose names have a common prefix.
///
/// ```swift
/// enum Animals: SettingsNamespace { static let id = "animals" }
/// enum Cats: SettingsNamespace { typealias Parent = Animals; static let id = "cats" }
///
/// let lion = Setting<String?>("lion", in: .defaults, namespace: Cats.self)   // stored as "animals:cats:lion"
/// ```
///
/// A namespace is a type without values; declare it as an `enum` without cases. Use ``Parent`` to nest namespaces. A namespace
/// affects only a setting's stored name and its hooks.
public protocol SettingsNamespace: SendableMetatype {
    /// The surrounding namespace; ``GlobalSettingsNamespace`` by default.
    associatedtype Parent: SettingsNamespace = GlobalSettingsNamespace

    /// The namespace's part of the names: not empty, without a colon and without NUL.
    static var id: String { get }

    /// Called before this program changes a setting of the namespace, or of one inside it. By default, does nothing.
    ///
    /// It is called once for a transaction, outermost namespace first, on the thread that makes the change, without a lock. It may
    /// read every setting, and set settings of other namespaces. (Setting one of this namespace calls it again.) Setting the stored
    /// value again is no change. If another thread or process changes the same setting at the same time, it can be called more than
    /// once before the change is made.
    static func preCommitHook()

    /// Called after this program has changed settings of the namespace, or of one inside it. By default, does nothing.
    ///
    /// It is called innermost namespace first. It is not called if the change fails.
    static func postCommitHook()
}

extension SettingsNamespace {
    /// Does nothing.
    public static func preCommitHook() {}

    /// Does nothing.
    public static func postCommitHook() {}

    /// Returns the stored name of a setting in the namespace: the ids of all surrounding namespaces and the setting's name,
    /// separated by colons.
    public static func name(of id: String) -> String { prefix + id }

    /// Returns whether a setting with this name is in the namespace, or in one inside it.
    public static func contains(_ name: String) -> Bool {
        // By scalars, too: a name may begin with a character that combines with the colon.
        name.hasPrefix(prefix) || name.unicodeScalars.starts(with: prefix.unicodeScalars)
    }

    /// The prefix of all names in the namespace: "animals:cats:"; empty for the global one.
    static var prefix: String { path.map { $0.id + ":" }.joined() }

    /// The namespace and its surrounding ones, without the global one; outermost first.
    static var path: [any SettingsNamespace.Type] {
        var path: [any SettingsNamespace.Type] = []
        var namespace: any SettingsNamespace.Type = Self.self
        while namespace != GlobalSettingsNamespace.self {
            let id = namespace.id
            precondition(
                !id.isEmpty && !id.unicodeScalars.contains { $0 == ":" || $0 == "\0" },
                "The id of the namespace \(namespace) must not be empty, and must not contain a colon or NUL.")
            precondition(path.count < 100, "The namespace \(namespace) must not be inside itself.")
            path.append(namespace)
            namespace = namespace.parent
        }
        return path.reversed()
    }

    private static var parent: any SettingsNamespace.Type { Parent.self }
}

/// The namespace of settings without a declared one. It does not change their names.
public enum GlobalSettingsNamespace: SettingsNamespace {
    /// The global namespace itself, because nothing surrounds it.
    public typealias Parent = GlobalSettingsNamespace

    /// Empty: names in it have no prefix.
    public static let id = ""
}

extension SettingsService.StorageKey {
    /// Creates the key of a setting in a namespace: its name is "animals:cats:lion" for `lion` in `Cats` in `Animals`.
    ///
    /// - Precondition: `id` is not empty, and has no NUL character.
    public init(_ id: String, namespace: any SettingsNamespace.Type, scope: SettingsService.Scope) {
        precondition(!id.isEmpty, "The name of a setting must not be empty.")
        self.init(namespace.name(of: id), scope: scope)
    }
}
