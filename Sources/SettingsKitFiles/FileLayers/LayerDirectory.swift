import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A directory with a file for each setting, such as a mounted secret.
final class LayerDirectory: LayerFiles {
    /// What was read so far.
    private struct Reading {
        var members: [String: FileValue] = [:]
        var findings: [LayerTextFinding] = []
        /// The path of the directory, without links.
        let realPath: String
    }

    let path: String
    let fileSystem: any FileSystem
    /// The names of the files that had a value when the directory was last read.
    private let known = Mutex<Set<String>>([], .leaf)

    init(path: String, fileSystem: any FileSystem) { (self.path, self.fileSystem) = (path, fileSystem) }

    private func file(_ name: String) -> WholeFile {
        WholeFile(path: WholeFile.join(path, name), fileSystem: fileSystem)
    }

    /// Returns the names of the entries that may be settings, in ascending order; none if there is no directory.
    private func names() throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try fileSystem.names(inDirectory: path).filter { !$0.hasPrefix(".") }.sorted()
        } catch {
            if error.number == ENOENT { return [] }
            throw error
        }
    }

    /// The directory, and those to which symbolic links in it lead.
    var places: [ChangeMonitor.Place] {
        let links = (optionalResult(of: { try $0.names() }, self) ?? []).map { file($0).links }.filter { $0.count > 1 }
        let others = ChangeMonitor.Place.places(of: links.flatMap { $0 }).filter { $0.directory != path }
        return [ChangeMonitor.Place(directory: path, names: nil)] + others
    }

    func state() -> LayerFilesState {
        var state = LayerFilesState()
        do throws(SystemError) {
            for name in try names().prefix(FileLayerLimits.directoryFiles + 1) {
                state.add(name, at: file(name).path, limit: FileLayerLimits.valueSize, in: fileSystem)
            }
        } catch {
            state.files["."] = .failed(error.number)
        }
        return state
    }

    func read() throws(SettingsError) -> any LayerText {
        do {
            let names = try names()
            if names.count > FileLayerLimits.directoryFiles {
                throw SettingsFileProblem("The directory has more than \(FileLayerLimits.directoryFiles) files")
            }
            var reading = Reading(
                realPath: WholeFile.split(WholeFile.realPath(WholeFile.join(path, "."))).directory)
            for name in names { try read(name, &reading) }
            known.withLock { $0 = Set(reading.members.keys) }
            return FileText(
                .init(reading.members), matching: .spelling(prefix: ""), path: path,
                findings: reading.findings)
        } catch {
            throw SettingsError(.unreadableFile, store: path, underlying: error)
        }
    }

    private func read(_ name: String, _ reading: inout Reading) throws(SystemError) {
        let file = file(name)
        do throws(SystemError) {
            let kind = try fileSystem.status(of: file.path, followingLink: false)?.kind
            // If it is gone, the directory is read again.
            guard let contents = try file.read(limit: FileLayerLimits.valueSize, isPresent: kind == .file) else {
                return
            }
            reading.members[name] = FileValue(contents: contents.bytes, path: file.path)
            if kind == .link, try leadsOut(file, of: reading.realPath) {
                reading.findings.append(
                    .init(
                        name, location: file.path,
                        problem: "The file is a symbolic link that leads out of the directory",
                        advice: "Copy the file, if it is meant."))
            }
        } catch {
            switch error.number {
            case EISDIR, EINVAL, EFBIG, EACCES, EPERM, ELOOP, ENAMETOOLONG:
                // The values that were read from it last stay in force.
                if known.withLock({ $0.contains(name) }) { throw error }
                reading.findings.append(
                    .init(
                        name, location: file.path, problem: "The file is not used",
                        advice: "It is a directory or no regular file, is too large or cannot be read."))
            default: throw error
            }
        }
    }

    /// Returns whether a symbolic link leads to a file outside the directory, whose path has no links.
    private func leadsOut(_ file: WholeFile, of directory: String) throws(SystemError) -> Bool {
        !WholeFile.realPath(try file.resolvedPath()).hasPrefix(WholeFile.join(directory, ""))
    }
}
