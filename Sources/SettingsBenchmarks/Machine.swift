import Foundation

/// Where figures were measured. Ratios hold on other machines, too; times do not.
enum Machine {
    /// One line for the head of a table, and for an article: the maker's name of the processor, the file system of the
    /// directory for temporary files, in which the benchmarks write, the operating system with the version of its kernel, and
    /// the compiler.
    static var summary: String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/"
        let kernel = lines(ofFile: "/proc/sys/kernel/osrelease").first.map { " (kernel \($0))" } ?? ""
        return [
            processorName ?? "unknown processor", cores == 1 ? "1 core" : "\(cores) cores",
            mountedFileSystem(of: folder, in: lines(ofFile: "/proc/self/mounts")) ?? "unknown file system",
            ProcessInfo.processInfo.operatingSystemVersionString + kernel, "Swift \(compiler)",
            isRelease ? "release build" : "debug build",
        ]
        .joined(separator: ", ")
    }

    /// Figures that were measured on a machine. One a line, so that a change of one is a change of one line.
    static func json(_ machine: String, _ name: String, _ figures: [some Encodable]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func line(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        let lines = try figures.map(line).joined(separator: ",\n")
        return "{\n\"machine\": \(try line(machine)),\n\"\(name)\": [\n\(lines)\n]\n}\n"
    }

    static var isRelease: Bool {
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
        let mounts = lines.map { $0.split(separator: " ").map(String.init) }.filter { words in
            words.count > 2 && (words[1] == "/" || path.hasPrefix("\(words[1])/"))
        }
        let longest = mounts.map { $0[1].count }.max()
        return mounts.last { $0[1].count == longest }?[2]
    }

    /// A file of the system that describes it; no lines where there is none.
    private static func lines(ofFile path: String) -> [String] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init)
    }
}
