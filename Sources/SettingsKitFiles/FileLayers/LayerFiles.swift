import SettingsKitCore
import SettingsKitPlatform

/// Files from which a layer reads its text: one file, or a directory.
protocol LayerFiles: Sendable {
    /// The path, for messages.
    var path: String { get }
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
        /// A directory or another thing that is no file, or too large: its changes do not matter.
        case unused
        case failed(Int32)
    }

    /// The files that exist, by name.
    var files: [String: File] = [:]

    /// Adds the file at a path, if there is one.
    ///
    /// - Parameter limit: The size of the largest file that is read.
    mutating func add(_ name: String, at path: String, limit: Int, in fileSystem: any FileSystem) {
        do throws(SystemError) {
            files[name] = try fileSystem.status(of: path, followingLink: true).map { status in
                status.kind == .file && status.size <= limit ? .present(status) : .unused
            }
        } catch {
            files[name] = .failed(error.number)
        }
    }
}
