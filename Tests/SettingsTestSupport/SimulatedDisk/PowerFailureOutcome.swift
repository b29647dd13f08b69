import SettingsKitPlatform

/// A disk that a power failure can leave.
package struct PowerFailureOutcome: Sendable {
    /// Equal for two outcomes in which a program reads the same from the files, including their status.
    package struct Identity: Hashable, Sendable {
        fileprivate struct File: Hashable {
            let inode: UInt64
            let nameCount: Int
            let times: [Int64]
            let bytes: [UInt8]
        }

        /// In the order of the names; nil for a name without a file.
        fileprivate let files: [File?]

        /// The identity for a program that uses only the first names.
        package func limited(to count: Int) -> Self { Self(files: Array(files.prefix(count))) }
    }

    package let identity: Identity
    private let state: DiskState
    private let number: UInt64
    private let directory: DirectoryContents
    private let files: [UInt64: FileContents]

    fileprivate init(
        _ state: DiskState, _ number: UInt64, _ directory: DirectoryContents, _ names: [FileName],
        _ files: [UInt64: FileContents]
    ) {
        (self.state, self.number, self.directory, self.files) = (state, number, directory, files)
        identity = Identity(
            files: names.map { name in
                guard let number = directory.entries[name], let inode = state.inodes[number] else { return nil }
                let (modified, changed) = (inode.modified, inode.changed)
                return .init(
                    inode: number, nameCount: directory.entries.values.count { $0 == number },
                    times: [modified.seconds, modified.nanoseconds, changed.seconds, changed.nanoseconds],
                    bytes: files[number]?.bytes ?? [])
            })
    }

    /// Creates the disk. No program runs on it.
    package func disk() -> SimulatedDisk {
        var state = state
        for process in state.processes.keys { state.kill(process) }
        state.inodes[number]?.directory = directory
        for (number, contents) in files { state.inodes[number]?.file = contents }
        state.keepWhatHasAName()
        return SimulatedDisk(state)
    }
}

extension SimulatedDisk {
    /// Returns the disks that a power failure at this moment can leave, as far as they differ for a program that uses only files with
    /// some names in one directory. Other directories are as they are. ``powerFailure(seed:)`` chooses one at random.
    ///
    /// - Parameters:
    ///   - names: The names of the files.
    ///   - path: The path of the directory.
    package func powerFailures(for names: [String], in path: String) -> [PowerFailureOutcome] {
        let state = state.withLock { $0 }
        let names = names.map { FileName($0.utf8) }
        let number: UInt64
        do throws(DiskFailure) { number = try state.inode(at: path, followingLink: true) } catch { return [] }
        guard let directory = state.inodes[number]?.directory else { return [] }
        var contents: [UInt64: [FileContents]] = [:]
        return directory.afterPowerFailure(using: Set(names)).flatMap { directory in
            var choices: [[UInt64: FileContents]] = [[:]]
            for number in Set(names.compactMap { directory.entries[$0] }).sorted() {
                let possible = contents[number] ?? state.inodes[number]?.file.afterPowerFailure() ?? []
                contents[number] = possible
                choices = choices.flatMap { chosen in
                    possible.map { contents in chosen.merging([number: contents]) { $1 } }
                }
            }
            return choices.map { PowerFailureOutcome(state, number, directory, names, $0) }
        }
    }

    /// A number that grows with each change of a file or directory.
    package var changeCount: Int64 { state.withLock { $0.changeCount } }

    /// Whether a process has locked the file at a path.
    package func isLocked(_ path: String) -> Bool {
        state.withLock { state in
            do throws(DiskFailure) {
                return state.locks[try state.inode(at: path, followingLink: true)] != nil
            } catch {
                return false
            }
        }
    }
}
