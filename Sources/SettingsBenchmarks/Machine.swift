import Foundation

/// Where figures were measured. Ratios hold on other machines, too; times do not.
struct Machine: Codable, Equatable {
    /// The maker's name of the processor.
    var processor: String
    var cores: Int
    /// Of the directory for temporary files, in which the benchmarks write.
    var fileSystem: String
    /// The operating system, with its version and that of its kernel.
    var system: String
    /// The version of the compiler.
    var swift: String
    var isRelease: Bool

    static var current: Machine {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/"
        let kernel = lines(ofFile: "/proc/sys/kernel/osrelease").first.map { " (kernel \($0))" } ?? ""
        return Machine(
            processor: processorName ?? "unknown processor", cores: ProcessInfo.processInfo.activeProcessorCount,
            fileSystem: mountedFileSystem(of: folder, in: lines(ofFile: "/proc/self/mounts")) ?? "unknown file system",
            system: ProcessInfo.processInfo.operatingSystemVersionString + kernel, swift: compiler,
            isRelease: isRelease)
    }

    /// One line for the head of a table, and for an article.
    var summary: String {
        [
            processor, cores == 1 ? "1 core" : "\(cores) cores", fileSystem, system, "Swift \(swift)",
            isRelease ? "release build" : "debug build",
        ]
        .joined(separator: ", ")
    }

    private static var isRelease: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    // A program cannot ask for it when it runs.
    private static var compiler: String {
        #if compiler(>=6.5)
            "6.5 or newer"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3.1)
            "6.3.1"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    private static var processorName: String? {
        #if canImport(Darwin)
            var (name, size) = ([UInt8](repeating: 0, count: 256), 256)
            guard sysctlbyname("machdep.cpu.brand_string", &name, &size, nil, 0) == 0 else { return nil }
            return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        #else
            let line = lines(ofFile: "/proc/cpuinfo").first { $0.hasPrefix("model name") }
            return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        #endif
    }

    /// The kind of file system that holds a path, by the lines "DEVICE PLACE KIND ...": the innermost place counts, and of
    /// several at one place the last.
    static func mountedFileSystem(of path: String, in lines: [String]) -> String? {
        var innermost: (place: String, kind: String)?
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 2 else { continue }
            let place = words[1] == "/" ? "/" : words[1] + "/"
            if path.hasPrefix(place), place.count >= innermost?.place.count ?? 0 { innermost = (place, words[2]) }
        }
        return innermost?.kind
    }

    /// A file of the system that describes it; no lines where there is none.
    private static func lines(ofFile path: String) -> [String] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init)
    }
}
