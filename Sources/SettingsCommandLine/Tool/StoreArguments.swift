import Foundation
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
        case etcd([String], prefix: String)
    }

    /// What a subcommand does with the store.
    enum Use: Sendable {
        /// Reads. Nothing is written, locked or created.
        case reading
        /// Reads as ``reading`` does. A missing store counts as an empty one.
        case readingIfPresent
        /// Reads and writes what is there. A missing store is a failure.
        case changing
        /// Reads and writes. What is missing is created as the store does it.
        case writing
    }

    let place: Place

    // MARK: Options

    private struct Options {
        let app, file, shared, state, sqlite, table, etcd, keyPrefix: CommandOption

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
        }

        var all: [CommandOption] { [app, file, shared, state, sqlite, table, etcd, keyPrefix] }
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
            guard let keyPrefix = try invocation.text(of: options.keyPrefix) else {
                throw .usage("\(options.etcd.name) needs \(options.keyPrefix.name).")
            }
            place = .etcd(addresses.split(separator: ",").map(String.init), prefix: keyPrefix)
        } else {
            let choices = options.places.map(\.usage)
            throw .usage("Name the store: \(choices.dropLast().joined(separator: ", ")) or \(choices.last ?? "").")
        }
        for (option, owner) in [
            (options.state, options.shared), (options.table, options.sqlite), (options.keyPrefix, options.etcd),
        ]
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
    fileprivate func path(of option: CommandOption) throws(CommandFailure) -> String? {
        guard let path = try text(of: option) else { return nil }
        if path.isEmpty { throw .usage("\(option.name) needs a path.") }
        return path
    }
}
