import SettingsKitPlatform

#if os(Linux)
    import Foundation
    import SettingsKitFiles
    import Testing

    /// On other systems some of the error numbers differ.
    @Suite("The simulated disk and the machine's file system")
    struct SimulatedDiskAgreementTests {
        @Test("They answer the same random calls alike, errors included", arguments: Rounds.seeds(0..<60, part: 20))
        func agree(seed: UInt64) throws {
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(UUID().uuidString)")
            // A link that is moved may lead out of the directory that it was made in; it is to stay in this one.
            let root = directory.appendingPathComponent("root").path
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            defer { _ = try? FileManager.default.removeItem(at: directory) }

            let disk = SimulatedDisk()
            try disk.makeDirectory("/root")
            for (name, target) in [("la", "a"), ("ld", "d/"), ("lb", "d/b"), ("none", "d/nothing"), ("loop", "loop")] {
                try disk.makeLink("/root/\(name)", to: target)
                try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: target)
            }
            var real = RandomCaller(POSIXFileSystem(), root: root, seed: seed)
            var simulated = RandomCaller(disk.process(), root: "/root", seed: seed)
            defer {
                real.closeAll()
                simulated.closeAll()
            }
            let hasAttributes = try keepsAttributes(root)
            for step in 0..<600 {
                let (expected, actual) = (real.step(hasAttributes), simulated.step(hasAttributes))
                try #require(actual == expected, "seed \(seed), step \(step)")
            }
            #expect(try simulated.tree("") == real.tree(""), "seed \(seed)")
        }

        /// Not all file systems do.
        private func keepsAttributes(_ directory: String) throws -> Bool {
            let (system, path) = (POSIXFileSystem(), directory + "/probe")
            let file = try system.create(path)
            defer { system.close(file) }
            try system.remove(path)
            return system.setAttribute(.extended(name: "user.probe", value: [1]), of: file)
        }
    }

    /// Makes random calls, the same ones for the same seed and the same answers.
    private struct RandomCaller {
        private static let paths = [
            "/a", "/b", "/c", "/d", "/e", "/d/a", "/d/b", "/d/e", "/e/a", "/e/d", "/d/e/a", "/a/b", "/la", "/ld", "/lb",
            "/none", "/loop", "/ld/a", "/loop/a", "/d/../a", "/./d/./b", "/d/", "/a/", "/missing/a", "//d//a", "/d/.",
            "/d/l", "/e\u{301}", "/\u{E9}", "/" + String(repeating: "x", count: 300),
        ]

        private let system: any FileSystem
        private let root: String
        private var generator: SeededGenerator
        private var files: [SettingsKitPlatform.FileHandle] = []

        init(_ system: any FileSystem, root: String, seed: UInt64) {
            self.system = system
            self.root = root
            generator = SeededGenerator(seed: seed)
        }

        func closeAll() { for file in files { system.close(file) } }

        /// Makes a call, and says which, and what came of it.
        mutating func step(_ hasAttributes: Bool) -> String {
            let path = Self.paths.randomElement(using: &generator) ?? ""
            let other = Self.paths.randomElement(using: &generator) ?? ""
            let small = Int.random(in: 0..<40, using: &generator)
            let index = Int.random(in: 0..<12, using: &generator)
            let call = Int.random(in: 0..<(hasAttributes ? 28 : 24), using: &generator)
            let outcome: String
            do throws(SystemError) {
                outcome =
                    call < 12
                    ? try callByPath(call, path, other)
                    : index < files.count ? try callOnFile(call, index, small, path) : "no such file"
            } catch {
                outcome = "error \(error.number)"
            }
            return "call \(call), \(path), \(other), file \(index), \(small): \(outcome)"
        }

        /// A process that another test starts at this moment keeps the locks of files that were closed here until it runs its
        /// program: what is not free at once is tried again.
        private func lock(_ file: SettingsKitPlatform.FileHandle) throws(SystemError) -> Bool {
            for _ in 0..<20 {
                if try system.lock(file) { return true }
                usleep(1_000)
            }
            return false
        }

        private mutating func callByPath(_ call: Int, _ path: String, _ other: String) throws(SystemError) -> String {
            switch call {
            case 0: return description(try system.status(of: root + path, followingLink: true))
            case 1: return description(try system.status(of: root + path, followingLink: false))
            case 2: return try system.destination(ofLink: root + path)
            case 3: try keep(system.openForReading(root + path))
            case 4: try keep(system.create(root + path))
            case 5: try keep(system.openOrCreate(root + path).file)
            case 6: try keep(system.openForAppending(root + path))
            case 7: try system.rename(root + path, to: root + other)
            case 8: try system.link(root + path, as: root + other)
            case 9: try system.remove(root + path)
            case 10: try system.createDirectory(root + path)
            default:
                return try system.names(inDirectory: root + path).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                    .joined(separator: " ")
            }
            return "done"
        }

        private mutating func keep(_ file: SettingsKitPlatform.FileHandle) {
            files.append(file)
            if files.count > 12 { system.close(files.removeFirst()) }
        }

        private mutating func callOnFile(
            _ call: Int, _ index: Int, _ small: Int, _ path: String
        ) throws(SystemError) -> String {
            let file = files[index]
            switch call {
            case 12: return description(try system.status(of: file))
            case 13: return "\(try system.read(file, count: small))"
            case 14: return "\(try system.read(file, at: Int64(small - 2), count: 10))"
            case 15, 16: return "\(try system.write([UInt8](repeating: UInt8(small), count: small), to: file))"
            case 17: try system.truncate(file, to: Int64(small - 2))
            case 18, 19: return "\(try lock(file))"
            case 20: system.unlock(file)
            case 21: if small < 3 { try system.synchronize(file) }
            case 22: if small < 3 { try system.synchronizeDirectory(root + path) }
            case 24, 25:
                let value = [UInt8](repeating: UInt8(small), count: small)
                return "\(system.setAttribute(.extended(name: "user.\(small % 3)", value: value), of: file))"
            case 26: return "\(system.setAttribute(.extended(name: "other.\(small)", value: [1]), of: file))"
            case 27: return attributes(of: path)
            default:
                let isSame =
                    try system.status(of: file).inode == system.status(of: root + path, followingLink: true)?.inode
                if small < 20 { system.close(files.remove(at: index)) }
                return "\(isSame)"
            }
            return "done"
        }

        /// The order is the file system's own affair.
        private func attributes(of path: String) -> String {
            system.attributes(of: root + path).map { "\($0)" }.sorted().joined(separator: ", ")
        }

        /// The size of a directory, and how many names it has, are each file system's own affair.
        private func description(_ status: FileStatus?) -> String {
            guard let status else { return "nothing" }
            return status.kind == .directory ? "directory" : "\(status.kind), \(status.size), \(status.linkCount)"
        }

        /// Everything below a directory.
        func tree(_ path: String) throws -> [String] {
            try system.names(inDirectory: root + path).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.flatMap {
                let path = "\(path)/\($0)"
                let status = try system.status(of: root + path, followingLink: false)
                var lines = ["\(path) \(description(status))"]
                if status?.kind == .directory { lines += try tree(path) }
                if status?.kind == .file {
                    let file = try system.openForReading(root + path)
                    defer { system.close(file) }
                    lines.append("\(try system.read(file, count: 10_000)), \(attributes(of: path))")
                }
                return lines
            }
        }
    }
#endif
