import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The paths of a shared directory and of the local state.
struct DirectoryLocation: Sendable {
    /// The path of the shared directory.
    let directory: String
    /// The path of the local state, to which the names of its files add their endings.
    let statePath: String

    /// - Parameter state: The directory of the local state. Nil for the default, which depends on the shared
    ///   directory's path.
    /// - Throws: ``SettingsError``: `storeUnavailable` if a path has a NUL or `state` is inside `directory`,
    ///   `memoryOnly` if `state` is nil and there is no home directory.
    init(directory: String, state: String?) throws {
        guard !directory.utf8.contains(0), state?.utf8.contains(0) != true else {
            throw SettingsError(.storeUnavailable, store: "DirectoryStore", underlying: NulInPath())
        }
        self.directory = Self.plain(directory)
        statePath = try (state.map(Self.plain) ?? Self.standardState(for: self.directory)) + "/State"
        // A path through a symbolic link is detected once the directory can be read.
        guard !statePath.hasPrefix(self.directory + "/") else {
            throw SettingsError(
                .storeUnavailable, store: "DirectoryStore at \(self.directory)",
                underlying: ReplicaProblem.stateInDirectory)
        }
    }

    /// Returns a path without `.`, `..` and empty components. Does not resolve links: their targets depend on mounted volumes.
    private static func plain(_ path: String) -> String {
        var components: [String] = []
        for component in WholeFile.components(path) {
            if component == ".." { _ = components.popLast() } else { components.append(component) }
        }
        return (WholeFile.isAbsolute(path) ? "/" : "") + components.joined(separator: "/")
    }

    /// Returns the default directory of the state: in the program's directory, named after the last component of the
    /// shared directory's path and a hash of the path.
    private static func standardState(for directory: String) throws -> String {
        do {
            let state = try PropertyListLocation.platformStateDirectory
            return state + "/" + PropertyListLocation.ownName + "/Shared/" + WholeFile.split(directory).name
                + "-" + String(hash(PropertyListLocation.lastingForm(of: directory)), radix: 16)
        } catch {
            throw SettingsError(.memoryOnly, store: "DirectoryStore at \(directory)", underlying: error)
        }
    }

    /// The machine's host name without a domain: the device's name for people.
    static var deviceName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.split(separator: ".").first.map(String.init) ?? "unknown"
    }

    /// The 64-bit FNV-1a hash of Fowler, Noll and Vo.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// The shared directories that are open in this process for writing.
enum OpenDirectories {
    private static let cores = OpenObjects<ReplicatedDirectory>()

    static func core(
        at location: DirectoryLocation, options: DirectoryStore.Options, access: SettingsStoreAccess
    ) throws -> ReplicatedDirectory {
        func open() throws -> sending ReplicatedDirectory {
            try ReplicatedDirectory(
                at: location, fileSystem: POSIXFileSystem(), options: options, access: access, isWatching: true,
                now: ReplicatedDirectory.systemTime)
        }
        // A store that only reads holds no lock that it would have to share, and a new one reads all that is stored now.
        if access == .readOnly { return try open() }
        return try cores.object(for: WholeFile.realPath(location.statePath) + "\0" + location.directory, open: open)
    }
}
