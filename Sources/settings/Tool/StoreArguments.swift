import SettingsCommandLine
import SettingsKit
import SettingsSQLite

/// The store that the options of a subcommand name.
///
/// Subcommands with two stores take the second one with the same options and a prefix: `--to-file`.
struct StoreArguments: Sendable {
    /// Where the store is.
    enum Place: Hashable, Sendable {
        case app(String)
        case file(String)
        case shared(String, state: String?)
        case sqlite(String, table: String)
        case etcd(ClusterArguments)
    }

    let place: Place

    // MARK: Options

    fileprivate struct Options {
        let app, file, shared, state, sqlite, table: CommandOption
        let etcd, keyPrefix, authority, certificate, key, user, passwordFile: CommandOption

        init(prefix: String) {
            app = CommandOption(
                "--\(prefix)app", value: "NAME", "The property list of a program, by the program's name.")
            file = CommandOption("--\(prefix)file", value: "PATH", values: .files, "A property list.")
            shared = CommandOption(
                "--\(prefix)shared", value: "DIR", values: .directories, "A directory that devices share.")
            state = CommandOption(
                "--\(prefix)state", value: "DIR", values: .directories,
                "With --\(prefix)shared: the local state that a program on this device has for it.")
            sqlite = CommandOption("--\(prefix)sqlite", value: "PATH", values: .files, "An SQLite database.")
            table = CommandOption(
                "--\(prefix)table", value: "NAME", "With --\(prefix)sqlite: the table, settings by default.")
            etcd = CommandOption(
                "--\(prefix)etcd", value: "URLS", "An etcd cluster: the addresses of members, separated by commas.")
            keyPrefix = CommandOption(
                "--\(prefix)prefix", value: "TEXT", "With --\(prefix)etcd: what the keys of the settings begin with.")
            // The names of etcdctl.
            authority = CommandOption(
                "--\(prefix)cacert", value: "PATH", values: .files,
                "With --\(prefix)etcd: the certificates of the authorities to trust, as PEM.")
            certificate = CommandOption(
                "--\(prefix)cert", value: "PATH", values: .files,
                "With --\(prefix)etcd: the own certificate, as PEM.")
            key = CommandOption(
                "--\(prefix)key", value: "PATH", values: .files,
                "With --\(prefix)cert: its private key, as PEM.")
            user = CommandOption(
                "--\(prefix)user", value: "NAME",
                "With --\(prefix)etcd: the user, whose password is in a file or in $ETCDCTL_PASSWORD.")
            passwordFile = CommandOption(
                "--\(prefix)password-file", value: "PATH", values: .files,
                "With --\(prefix)user: the file with the password.")
        }

        var all: [CommandOption] { [app, file, shared, state, sqlite, table] + ofCluster }
        var ofCluster: [CommandOption] { [etcd, keyPrefix, authority, certificate, key, user, passwordFile] }
        var places: [CommandOption] { [app, file, shared, sqlite, etcd] }
    }

    /// The options for a store, for help and parsing.
    ///
    /// - Parameter prefix: Empty for the first store, `to-` or `with-` for a second one.
    static func options(
        prefix: String = "", title: String = "STORE is one of these:", placeholder: String = "STORE"
    ) -> CommandOptionGroup {
        CommandOptionGroup(title: title, placeholder: placeholder, options: Options(prefix: prefix).all)
    }

    /// - Throws: A failure if no store or more than one is named.
    init(_ invocation: Invocation, prefix: String = "") throws(CommandFailure) {
        let options = Options(prefix: prefix)
        try invocation.requireAtMostOne(of: options.places)
        if let name = try invocation.text(of: options.app) {
            place = .app(name)
        } else if let path = try invocation.path(of: options.file) {
            place = .file(path)
        } else if let path = try invocation.path(of: options.shared) {
            place = .shared(path, state: try invocation.path(of: options.state))
        } else if let path = try invocation.path(of: options.sqlite) {
            place = .sqlite(path, table: try invocation.text(of: options.table) ?? "settings")
        } else if let addresses = try invocation.text(of: options.etcd) {
            place = .etcd(try invocation.cluster(addresses, options))
        } else {
            let choices = options.places.map(\.usage)
            throw .usage("Name the store: \(choices.dropLast().joined(separator: ", ")) or \(choices.last ?? "").")
        }
        for (option, owner) in [
            (options.state, options.shared), (options.table, options.sqlite), (options.passwordFile, options.user),
        ] + options.ofCluster.dropFirst().map({ ($0, options.etcd) })
        where invocation.has(option) && !invocation.has(owner) {
            throw .usage("\(option.name) is for \(owner.name) only.")
        }
    }

    init(_ place: Place) { self.place = place }

    /// The store that the options name, if they name one.
    ///
    /// - Throws: A failure if more than one is named.
    static func optional(_ invocation: Invocation, prefix: String) throws(CommandFailure) -> StoreArguments? {
        guard Options(prefix: prefix).all.contains(where: invocation.has) else { return nil }
        return try StoreArguments(invocation, prefix: prefix)
    }
}

extension Invocation {
    /// The cluster that the options of a store name.
    fileprivate func cluster(
        _ addresses: String, _ options: StoreArguments.Options
    ) throws(CommandFailure) -> ClusterArguments {
        guard let prefix = try text(of: options.keyPrefix) else {
            throw .usage("\(options.etcd.name) needs \(options.keyPrefix.name).")
        }
        var cluster = ClusterArguments(endpoints: addresses.split(separator: ",").map(String.init), prefix: prefix)
        cluster.authority = try path(of: options.authority)
        (cluster.certificate, cluster.key) = (try path(of: options.certificate), try path(of: options.key))
        if (cluster.certificate == nil) != (cluster.key == nil) {
            throw .usage("\(options.certificate.name) and \(options.key.name) belong together.")
        }
        cluster.user = try text(of: options.user)
        // Not shown: what follows the colon is a password.
        if cluster.user?.contains(":") == true {
            throw .usage(
                "\(options.user.name) takes the name alone: other users of this machine see the arguments of a program. Write the "
                    + "password into a file, and name it with \(options.passwordFile.name).")
        }
        cluster.passwordFile = try path(of: options.passwordFile)
        return cluster
    }

    fileprivate func path(of option: CommandOption) throws(CommandFailure) -> String? {
        guard let path = try text(of: option) else { return nil }
        if path.isEmpty { throw .usage("\(option.name) needs a path.") }
        return path
    }
}
