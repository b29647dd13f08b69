import SettingsKitCore
import SettingsKitPlatform

/// Files from which a layer reads its text: one file, or a directory.
protocol LayerFiles: Sendable {
    /// The directory entries whose changes may change the text.
    var places: [ChangeMonitor.Place] { get }

    /// Returns the state of the files, with a few system calls for each.
    func state() -> LayerFilesState

    /// Reads the files.
    ///
    /// - Throws: The error because of which they cannot be read now.
    func read() throws(SettingsError) -> any LayerText
}

/// The state of a layer's files: whether they are the same as before.
struct LayerFilesState: Equatable {
    enum File: Equatable {
        case present(FileStatus)
        case failed(Int32)
    }

    /// The files that exist, by name.
    var files: [String: File] = [:]

    /// Adds the file at a path, if there is one.
    mutating func add(_ name: String, at path: String, in fileSystem: any FileSystem) {
        do throws(SystemError) {
            files[name] = try fileSystem.status(of: path, followingLink: true).map { .present($0) }
        } catch {
            files[name] = .failed(error.number)
        }
    }

    /// Whether a file was edited in place since another state, so that it may be half-written.
    func isEdited(since other: LayerFilesState) -> Bool {
        files.contains { name, file in
            guard case .present(let new) = file, case .present(let old)? = other.files[name] else { return false }
            return new != old && new.isSameFile(as: old)
        }
    }
}
