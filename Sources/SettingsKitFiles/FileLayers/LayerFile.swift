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
        addPreferred(to: &state)
        return state
    }

    private static let preferredName = "preferred"

    private func addPreferred(to state: inout LayerFilesState) {
        guard let preferred else { return }
        let status = optionalResult(of: { try file.fileSystem.status(of: $0, followingLink: true) }, preferred) ?? nil
        // Its contents do not matter.
        if status != nil { state.files[Self.preferredName] = .unused }
    }

    func read(_ state: inout LayerFilesState) throws(SettingsError) -> any LayerText {
        addPreferred(to: &state)
        do {
            if let contents = try file.read(limit: FileLayerLimits.fileSize) {
                state.files[""] = .present(contents.status)
                return try format.text(of: contents.bytes, path: file.path, findings: findings(in: state))
            }
            if !isRequired { return EmptyText() }
            throw SystemError(call: "open", path: file.path, number: ENOENT)
        } catch {
            throw SettingsError(.unreadableFile, store: file.path, underlying: error)
        }
    }

    private func findings(in state: LayerFilesState) -> [LayerTextFinding] {
        guard let preferred, state.files[Self.preferredName] != nil else { return [] }
        return [
            .init(
                file.path, similarName: preferred, problem: "\(preferred) exists, too, and its values count",
                advice: "Remove one of them.")
        ]
    }
}
