import Foundation
import SettingsTestSupport

/// A program that not every machine has.
struct Tool: Sendable {
    static let curl = Tool("curl")
    static let python = Tool("python3")
    static let rsync = Tool("rsync")
    static let syncthing = Tool("syncthing")
    static let unison = Tool("unison")

    let name: String
    /// Where it was found on the search path; nil where it is not installed.
    let path: String?

    var isInstalled: Bool { path != nil }

    init(_ name: String) {
        self.name = name
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        path = directories.lazy.map { "\($0)/\(name)" }.first { path in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
                && FileManager.default.isExecutableFile(atPath: path)
        }
    }

    /// Starts it, with `environment` on top of the environment of the tests, and its output in a file.
    func start(_ arguments: [String], environment: [String: String] = [:], output: String) throws -> Program {
        guard let path else { throw ToolError("\(name) is not installed") }
        let environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        return try Program(path, arguments, environment: environment, output: output)
    }

    /// Runs it to its end.
    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> ToolResult {
        try withTemporaryDirectory { directory in
            let output = directory + "/output"
            let status = try start(arguments, environment: environment, output: output).wait()
            return ToolResult(status: status, text: String(decoding: try bytes(of: output), as: UTF8.self))
        }
    }

    static func runPython(_ script: String, _ arguments: String...) throws -> ToolResult {
        try python.run(["-c", "import sys, json, plistlib, datetime\n" + script] + arguments)
    }
}

/// The exit status of a program, or the negative number of the signal that ended it, and what it wrote.
struct ToolResult: Sendable {
    var status: Int32
    var text: String
}

struct ToolError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

let isRoot = getuid() == 0
