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

    var places: [ChangeMonitor.Place] { ChangeMonitor.Place.places(of: file.links + (preferred.map { [$0] } ?? [])) }

    func state() -> LayerFilesState {
        var state = LayerFilesState()
        state.add("", at: file.path, in: file.fileSystem)
        // Its contents do not matter.
        if let preferred, exists(preferred) { state.files["preferred"] = .failed(0) }
        return state
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

    private func exists(_ path: String) -> Bool {
        optionalResult(of: { try file.fileSystem.status(of: $0, followingLink: true) }, path) ?? nil != nil
    }

    private var findings: [LayerTextFinding] {
        guard let preferred, exists(preferred) else { return [] }
        return [.init(.secondFile, name: file.path, similarName: preferred)]
    }
}
