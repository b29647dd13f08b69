import SettingsKitCore
import SettingsKitPlatform

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
struct LayerDirectory: LayerFiles {
    let path: String
    let fileSystem: any FileSystem

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
                state.add(name, at: file(name).path, in: fileSystem)
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
            var members: [FileValue.Member] = []
            var findings: [LayerTextFinding] = []
            for name in names { try read(name, &members, &findings) }
            return FileText(
                FileValue(members, form: .text) { _ in Data() }, matching: .spelling(prefix: ""), path: path,
                findings: findings)
        } catch {
            throw SettingsError(.unreadableFile, store: path, underlying: error)
        }
    }

    private func read(
        _ name: String, _ members: inout [FileValue.Member], _ findings: inout [LayerTextFinding]
    ) throws(SystemError) {
        let file = file(name)
        do throws(SystemError) {
            // If it is gone, the directory is read again.
            guard let contents = try file.read(limit: FileLayerLimits.valueSize) else { return }
            members.append((name, FileValue(.known(contents.bytes), form: .file, path: file.path)))
            if try leadsOut(file) { findings.append(.init(.outsideLink, name: name, location: file.path)) }
        } catch {
            switch error.number {
            case EISDIR: return
            case EINVAL, EFBIG, EACCES, EPERM, ELOOP:
                findings.append(.init(.unreadable, name: name, location: file.path))
            default: throw error
            }
        }
    }

    /// Returns whether a file is a symbolic link to one outside the directory.
    private func leadsOut(_ file: WholeFile) throws(SystemError) -> Bool {
        let target = try file.resolvedPath()
        if target == file.path { return false }
        let directory = WholeFile.split(WholeFile.realPath(WholeFile.join(path, "."))).directory
        return !WholeFile.realPath(target).hasPrefix(WholeFile.join(directory, ""))
    }
}
