import SettingsKitPlatform

/// A disk that a power failure can leave.
package struct PowerFailureOutcome: Sendable {
    /// Equal for two outcomes in which a program reads the same from the files, including their status.
    package struct Identity: Hashable, Sendable {
        fileprivate struct File: Hashable {
            let inode: Int
            let nameCount: Int
            let times: [Int64]
            let bytes: FileBytes?
        }

        /// In the order of the names; nil for a name without a file.
        fileprivate let files: [File?]
    }

    package let identity: Identity
    private let state: DiskState
    private let number: Int
    private let directory: DirectoryNames
    private let files: [Int: FileBytes]

    fileprivate init(
        _ state: DiskState, _ number: Int, _ directory: DirectoryNames, _ names: [String], _ files: [Int: FileBytes]
    ) {
        (self.state, self.number, self.directory, self.files) = (state, number, directory, files)
        identity = Identity(
            files: names.map { name in
                guard let number = directory.entries[name], let inode = state.inodes[number] else { return nil }
                let (modified, changed) = (inode.modified, inode.changed)
                return .init(
                    inode: number, nameCount: directory.entries.values.count { $0 == number },
                    times: [modified.seconds, modified.nanoseconds, changed.seconds, changed.nanoseconds],
                    bytes: files[number])
            })
    }

    /// Creates the disk. No program runs on it.
    package func disk() -> SimulatedDisk {
        var state = state
        state.inodes[number]?.directory = Unflushed(directory)
        for (number, contents) in files { state.inodes[number]?.file = Unflushed(contents) }
        state.restart()
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
        guard let number = try? state.inode(at: path, followingLink: true),
            let directory = state.inodes[number]?.directory
        else { return [] }
        var known: [Int: [FileBytes]] = [:]
        return directory.afterPowerFailure(using: Set(names)).flatMap { directory in
            var choices: [[Int: FileBytes]] = [[:]]
            for number in Set(names.compactMap { directory.entries[$0] }).sorted() {
                let possible = known[number] ?? state.inodes[number]?.file.afterPowerFailure() ?? []
                known[number] = possible
                choices = choices.flatMap { chosen in
                    possible.map { contents in chosen.merging([number: contents]) { $1 } }
                }
            }
            return choices.map { PowerFailureOutcome(state, number, directory, names, $0) }
        }
    }
}
