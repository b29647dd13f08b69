import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file with the values of all settings.
struct LayerFile: LayerFiles {
    let file: WholeFile
    let format: SettingsFileFormat
    let isRequired: Bool
    /// The path of a file in another format that takes precedence; nil if there is none.
    var preferred: String?

    var path: String { file.path }

    var places: [ChangeMonitor.Place] { ChangeMonitor.Place.places(of: file.links + (preferred.map { [$0] } ?? [])) }

    func state() -> LayerFilesState {
        var state = LayerFilesState()
        state.add("", at: file.path, limit: FileLayerLimits.fileSize, in: file.fileSystem)
        // Its contents do not matter.
        if hasPreferred { state.files["preferred"] = .unused }
        return state
    }

    /// Whether the preferred file exists.
    private var hasPreferred: Bool {
        guard let preferred else { return false }
        let status = optionalResult(of: { try file.fileSystem.status(of: $0, followingLink: true) }, preferred)
        return (status ?? nil) != nil
    }

    func read() throws(SettingsError) -> any LayerText {
        do {
            if let contents = try file.read(limit: FileLayerLimits.fileSize) {
                return try format.text(of: contents.bytes, path: file.path, findings: findings)
            }
            if !isRequired { return EmptyText() }
            throw SystemError(call: "open", path: file.path, number: ENOENT)
        } catch {
            throw SettingsError(.unreadableFile, store: file.path, underlying: error)
        }
    }

    private var findings: [LayerTextFinding] {
        guard let preferred, hasPreferred else { return [] }
        return [
            .init(
                file.path, similarName: preferred, problem: "\(preferred) exists, too, and its values count",
                advice: "Remove one of them.")
        ]
    }
}
