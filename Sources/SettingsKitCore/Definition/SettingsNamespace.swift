/// A group of settings whose names begin alike.
///
/// ```swift
/// enum Animals: SettingsNamespace { static let id = "animals" }
/// enum Cats: SettingsNamespace { typealias Parent = Animals; static let id = "cats" }
///
/// let lion = Setting<String?>("lion", in: .defaults, namespace: Cats.self)   // stored as "animals:cats:lion"
/// ```
///
/// A namespace is a type and has no values; an `enum` without cases says so. Namespaces nest by ``Parent``. Nothing but
/// the name of a setting depends on its namespace, and who is called around its changes.
public protocol SettingsNamespace: SendableMetatype {
    /// The namespace that this one is in; ``GlobalSettingsNamespace`` where none is named.
    associatedtype Parent: SettingsNamespace = GlobalSettingsNamespace

    /// What names in the namespace begin with, after the parent's: not empty, without a colon and without NUL.
    static var id: String { get }

    /// Called before a setting of the namespace, or of one inside it, is changed by this program; does nothing unless you
    /// implement it.
    ///
    /// It is called once for a transaction, outermost namespace first, on the thread that makes the change, with no lock
    /// held: it may read every setting, and set those of other namespaces. (One of its own calls it again.) Setting what is
    /// stored already is no change. When somebody else changes the same setting at the same moment, it can be called more
    /// than once before the change is made.
    static func preCommitHook()

    /// Called after settings of the namespace, or of one inside it, were changed by this program; does nothing unless you
    /// implement it.
    ///
    /// It is called innermost namespace first. A change that fails ends without it.
    static func postCommitHook()
}

extension SettingsNamespace {
    /// Does nothing.
    public static func preCommitHook() {}

    /// Does nothing.
    public static func postCommitHook() {}

    /// The name under which a setting of the namespace is stored: the ids of all namespaces around it and its own, with
    /// colons between them.
    public static func name(of id: String) -> String { prefix + id }

    /// Whether a name is one of a setting in this namespace, or in one inside it.
    public static func contains(_ name: String) -> Bool {
        // By scalars, too: a name may begin with a character that combines with the colon.
        name.hasPrefix(prefix) || name.unicodeScalars.starts(with: prefix.unicodeScalars)
    }

    /// What the names of all settings in the namespace begin with: "animals:cats:"; nothing for the global one.
    static var prefix: String { path.map { $0.id + ":" }.joined() }

    /// The namespace and those around it, but the global one; the outermost first.
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

/// The namespace of settings that are in no other: their names are stored as they are.
public enum GlobalSettingsNamespace: SettingsNamespace {
    /// There is nothing around it.
    public typealias Parent = GlobalSettingsNamespace

    /// Nothing: names in it have no prefix.
    public static let id = ""
}

extension SettingsService.StorageKey {
    /// Makes the key of a setting in a namespace: its name is "animals:cats:lion" for `lion` in `Cats` in `Animals`.
    ///
    /// - Precondition: `id` is not empty, and holds no NUL character.
    public init(_ id: String, namespace: any SettingsNamespace.Type, scope: SettingsService.Scope) {
        precondition(!id.isEmpty, "The name of a setting must not be empty.")
        self.init(namespace.name(of: id), scope: scope)
    }
}
