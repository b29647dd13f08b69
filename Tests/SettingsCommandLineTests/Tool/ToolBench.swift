import Foundation
import SettingsCommandLine
import SettingsTestSupport
import Testing

@testable import settings

/// The kinds of stores that the tool opens.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case file, shared, sqlite

    var testDescription: String { rawValue }

    /// The argument that names a store in a directory.
    func store(in directory: String) -> String {
        switch self {
        case .file: "\(directory)/Settings.plist"
        case .shared: "shared:\(directory)/shared?state=\(directory)/state"
        case .sqlite: "sqlite:\(directory)/settings.sqlite"
        }
    }

    /// The file that holds the values.
    func file(in directory: String) -> String {
        switch self {
        case .file: "\(directory)/Settings.plist"
        case .shared: "\(directory)/shared"
        case .sqlite: "\(directory)/settings.sqlite"
        }
    }
}

extension Desk.Result {
    /// The messages without their line breaks.
    var message: String { errors.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

/// Runs the tool in this process, with a store in a directory.
struct ToolBench {
    let directory: String
    let kind: StoreKind

    init(_ kind: StoreKind = .file, in directory: String) {
        self.kind = kind
        self.directory = directory
    }

    /// A bench whose store can be made: the tool creates no shared directory.
    static func ready(_ kind: StoreKind, in directory: String) throws -> ToolBench {
        if kind == .shared {
            try FileManager.default.createDirectory(
                atPath: kind.file(in: directory), withIntermediateDirectories: true)
        }
        return ToolBench(kind, in: directory)
    }

    /// Runs a subcommand with the store.
    func run(_ arguments: String..., input: String = "") -> Desk.Result { run(arguments, input: input) }

    func run(_ arguments: [String], input: String = "") -> Desk.Result {
        Self.run(arguments.prefix(1) + [kind.store(in: directory)] + arguments.dropFirst(), input: input)
    }

    static func run(_ arguments: [String], input: String = "") -> Desk.Result {
        Desk.Result { output, errors in
            SettingsTool(width: 80).run(
                arguments, input: { Data(input.utf8) }, output: output, errors: errors)
        }
    }
}

/// The names and the contents of everything in a directory, but for what SQLite keeps beside a database.
func picture(of directory: String) throws -> [String: Data] {
    var picture: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory)
    where !path.hasSuffix("-wal") && !path.hasSuffix("-shm") {
        picture[path] = FileManager.default.contents(atPath: "\(directory)/\(path)") ?? Data()
    }
    return picture
}

/// The executable `settings`, in other processes.
enum ToolProcess {
    /// Where the executable is: beside the tests.
    static func path() throws -> String {
        let places = [CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath)
        let found = places.map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("settings").path
        }
        return try #require(found.first { FileManager.default.isExecutableFile(atPath: $0) })
    }

    /// Whether a program is on the search path.
    static func isInstalled(_ name: String) -> Bool {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return directories.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// Runs a script, in which `settings` is the tool, in a directory.
    static func bash(_ script: String, in directory: String, shell: String = "bash") throws -> Desk.Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let bin = URL(fileURLWithPath: try path()).deletingLastPathComponent().path
        process.arguments = [shell, "-c", script]
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = "\(bin):\(environment["PATH"] ?? "")"
        process.environment = environment
        let files = ["output", "errors"].map { "\(directory)/.\($0)-\(UUID().uuidString)" }
        for file in files { #expect(FileManager.default.createFile(atPath: file, contents: nil)) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: files[0]))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: files[1]))
        try withoutBlockedSignals { try process.run() }
        process.waitUntilExit()
        let texts = try files.map { String(decoding: try Data(contentsOf: URL(fileURLWithPath: $0)), as: UTF8.self) }
        for file in files { try FileManager.default.removeItem(atPath: file) }
        return Desk.Result(process.terminationStatus, texts[0], errors: texts[1])
    }

    /// A thread of Dispatch blocks most signals, and a process inherits that from the thread that starts it.
    private static func withoutBlockedSignals<R>(_ body: () throws -> R) rethrows -> R {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try body()
    }
}
