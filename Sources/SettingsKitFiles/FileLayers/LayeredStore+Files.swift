import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LayeredStore.Layer {
    /// Returns a layer for a file that a person or a tool writes, such as `/etc/player.json`.
    ///
    /// The layer may be anywhere: above the layer that is written to, its values lock their settings; below it, they are used if no
    /// layer above has one. The file is never written to.
    ///
    /// The file may be missing; then it has no values. It is followed while the store exists: an edit, a replacement, also through a
    /// symbolic link or a mounted directory as of a Kubernetes ConfigMap, is read when the file has stayed the same for 50
    /// milliseconds, because it may be half-written. While it cannot be read, the values that were last read stay in force, and the
    /// problem is reported to the diagnostics of the service, with its line and column.
    ///
    /// ``SettingsCatalogue/check(in:)`` returns names that no setting has, and values that do not count because the file has another
    /// one for their setting.
    ///
    /// - Parameters:
    ///   - url: The URL of the file, which has at most 4 MB.
    ///   - format: The format; nil for that of the suffix: `json`, `plist` or `env`. `.env.*` has that of `.env`.
    ///   - name: The name for ``SettingsService/Source/layer(_:)`` and for messages; nil for the path.
    ///   - isRequired: Whether the store cannot be made if the file is missing or cannot be read: its initializer throws
    ///     ``SettingsError/Code/storeUnavailable``. If the file is removed later, its last values stay in force.
    public static func file(
        _ url: URL, format: SettingsFileFormat? = nil, name: String? = nil, isRequired: Bool = false
    ) -> Self {
        let file = WholeFile(path: FollowedFile.path(of: url), fileSystem: POSIXFileSystem())
        return .file(file, format: format, name: name, isRequired: isRequired)
    }

    /// - Parameter preferred: The path of a file in another format that takes precedence; nil if there is none.
    package static func file(
        _ file: WholeFile, format: SettingsFileFormat? = nil, name: String? = nil, isRequired: Bool = false,
        preferred: String? = nil
    ) -> Self {
        let followed = FollowedFile(file: file, format: format, isRequired: isRequired, preferred: preferred)
        return .followed(followed, name: name ?? file.path)
    }

    /// Returns a layer for a directory with a file for each setting, such as the mounted secrets of Kubernetes or Docker.
    ///
    /// The name of a file is the setting's, spelled as it is or as an option or a variable: `http.timeout`, `http-timeout`,
    /// `httpTimeout` or `HTTP_TIMEOUT`. The first of these counts. The file has the text of the value; a byte order mark and a
    /// line break at its end do not count. A setting of the type `Data` has all bytes as its value.
    ///
    /// The layer may be anywhere, as ``file(_:format:name:isRequired:)``. The directory may be missing, may be a symbolic link, and is followed.
    /// All files are read in one state: after a swap, as of a ConfigMap, all values are new ones. Hidden files are ignored.
    /// Each file has at most 1 MB, and there are at most 1,000.
    ///
    /// ``SettingsCatalogue/check(in:)`` returns files whose name no setting has, that cannot be read, or that are symbolic links out
    /// of the directory, and directories, which have no values.
    ///
    /// - Parameters:
    ///   - url: The URL of the directory.
    ///   - name: The name for ``SettingsService/Source/layer(_:)`` and for messages; nil for the path.
    ///   - isSecret: Whether lists of settings hide the values.
    public static func directory(_ url: URL, name: String? = nil, isSecret: Bool = false) -> Self {
        let path = FollowedFile.path(of: url)
        let directory = LayerDirectory(path: path, fileSystem: POSIXFileSystem())
        return .followed(FollowedDirectory(directory: directory), name: name ?? path, isSecret: isSecret)
    }

    /// Returns a layer for the credentials that systemd passes to a service, with `LoadCredential=` for example: the files in
    /// `$CREDENTIALS_DIRECTORY`. Without the variable, there are no values. The layer's name is `credentials`, and lists of settings hide
    /// its values.
    ///
    /// - Parameter environment: The environment of the process.
    public static func credentials(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Self {
        let path = environment["CREDENTIALS_DIRECTORY"] ?? ""
        let directory = path.isEmpty ? nil : LayerDirectory(path: path, fileSystem: POSIXFileSystem())
        return .followed(FollowedDirectory(directory: directory), name: "credentials", isSecret: true)
    }
}

/// A file of which a layer reads the text.
private struct FollowedFile: FollowedText {
    let file: WholeFile
    /// Nil for that of the suffix.
    let format: SettingsFileFormat?
    let isRequired: Bool
    let preferred: String?

    static func path(of url: URL) -> String {
        let path = url.absoluteURL.path
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    func follow(_ receive: @escaping @Sendable (LayerTextReading) -> Void) throws(SettingsError) -> any Sendable {
        let format = if let format { format } else { try Self.format(of: file.path) }
        let file = LayerFile(file: file, format: format, isRequired: isRequired, preferred: preferred)
        return try LayerFileFollower(file, isRequired: isRequired, receive)
    }

    private static func format(of path: String) throws(SettingsError) -> SettingsFileFormat {
        let suffix = SettingsFileFormat.suffix(ofFile: path)
        switch suffix {
        case "json": return .json
        case "plist": return .propertyList
        case "env": return .environment()
        default: throw SettingsError(.unknownSuffix(suffix ?? ""), store: path)
        }
    }
}

/// A directory of which a layer reads the files; nil for none.
private struct FollowedDirectory: FollowedText {
    let directory: LayerDirectory?

    func follow(_ receive: @escaping @Sendable (LayerTextReading) -> Void) throws(SettingsError) -> any Sendable {
        try directory.map { directory throws(SettingsError) in
            try LayerFileFollower(directory, isRequired: false, receive)
        }
    }
}
