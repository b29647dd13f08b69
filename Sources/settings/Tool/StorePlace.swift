import SettingsCommandLine
import SettingsKit

/// A store, as an argument names it: a path, or a kind with a name.
enum StorePlace: Hashable, Sendable {
    case app(String)
    case file(String)
    case shared(String, state: String?)
    case sqlite(String, table: String)
    case etcd(ClusterArguments)

    /// What an argument may be, for help.
    static let forms = [
        ("PATH", "A property list. Write ./ before a name with a colon."),
        ("app:NAME", "The property list of a program, by the program's name."),
        ("sqlite:PATH", "An SQLite database. ?table=NAME after the path names another table than settings."),
        (
            "shared:DIR",
            "A directory that devices share. ?state=DIR after the path names the local state of a program; without it, the directory "
                + "is only read."
        ),
        (
            "etcd:PREFIX",
            "The keys of an etcd cluster that begin with the prefix. Where the cluster is, etcdctl's variables say: "
                + "ETCDCTL_ENDPOINTS, _USER, _PASSWORD, _CACERT, _CERT and _KEY."
        ),
    ]

    /// - Parameter variable: The value of an environment variable.
    /// - Throws: A failure if the argument names no store.
    init(_ text: String, variable: (String) -> String?) throws(CommandFailure) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].contains("/") else {
            if text.isEmpty { throw .usage("The path of a store must not be empty.") }
            self = .file(text)
            return
        }
        let (name, option, value) = Self.split(parts[1])
        switch (parts[0], option) {
        case _ where name.isEmpty || value?.isEmpty == true: break
        case ("app", nil):
            self = .app(name)
            return
        case ("sqlite", nil), ("sqlite", "table"):
            self = .sqlite(name, table: value ?? "settings")
            return
        case ("shared", nil), ("shared", "state"):
            self = .shared(name, state: value)
            return
        case ("etcd", nil):
            self = .etcd(try ClusterArguments(prefix: name, variable: variable))
            return
        default: break
        }
        let forms = Self.forms.map(\.0)
        throw .usage(
            "\(quoted(text)) names no store. Use \(forms.dropLast().joined(separator: ", ")) or \(forms.last ?? ""); write ./ before "
                + "the name of a file with a colon.")
    }

    /// The parts of `NAME?OPTION=VALUE`.
    private static func split(_ text: String) -> (name: String, option: String?, value: String?) {
        for option in ["table", "state"] {
            guard let range = text.firstRange(of: "?\(option)=") else { continue }
            return (String(text[..<range.lowerBound]), option, String(text[range.upperBound...]))
        }
        return (text, nil, nil)
    }
}
