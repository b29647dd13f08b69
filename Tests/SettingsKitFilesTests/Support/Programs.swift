import Foundation
import Testing

/// What a program said, and how it ended.
struct ProgramResult: Sendable {
    var status: Int32
    var output: Data
    var text: String { String(decoding: output, as: UTF8.self) }
}

/// Programs that not every machine has.
enum Program {
    static let python = Tool("python3").isInstalled
    static let plutil = Tool("plutil").isInstalled
    static let setpriv = Tool("setpriv").isInstalled
    static let isRoot = getuid() == 0

    /// Runs a program that is found in `PATH`; what it writes is small, or goes to a file.
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> ProgramResult {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return ProgramResult(status: process.terminationStatus, output: output)
    }

    /// Runs a Python script; its arguments are in `sys.argv[1:]`, `plistlib`, `json` and `sys` are imported.
    static func python(_ script: String, _ arguments: String...) throws -> ProgramResult {
        try run(["python3", "-c", "import sys, json, plistlib, datetime\n" + script] + arguments)
    }

    /// What plistlib has under each key of a file, as Python shows it (`repr`).
    static func pythonView(of path: String) throws -> [String: String] {
        let result = try python(
            """
            with open(sys.argv[1], 'rb') as f: root = plistlib.load(f)
            print(json.dumps({key: repr(value) for key, value in root.items()}))
            """, path)
        try #require(result.status == 0, "\(result.text)")
        return try JSONDecoder().decode([String: String].self, from: result.output)
    }

    /// The file as plutil writes it as XML.
    static func plutilView(of path: String) throws -> ProgramResult {
        try run(["plutil", "-convert", "xml1", "-o", "-", path])
    }
}
