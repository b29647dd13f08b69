import Foundation
import SettingsKit
import Synchronization

// A server that is configured by its arguments, its environment, a directory with secrets and a file, and edited while it runs.
// `Server.swift` is the whole server; this file plays the administrator, and ends by itself. Watch what each edit prints.
//
// A real server has a few lines in the place of `demonstrate()`: the layers below, with its own paths. The guide
// "Configuring a server" has them.

/// Replaces a file, as an editor does.
func write(_ text: String, to file: URL) throws { try Data(text.utf8).write(to: file, options: .atomic) }

/// Replaces the mounted files, as Kubernetes does: a link to a directory with all of them.
func mount(_ files: [String: String], version: Int, at folder: URL) throws {
    let manager = FileManager.default
    let data = folder.appendingPathComponent("..\(version)")
    try manager.createDirectory(at: data, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: data.appendingPathComponent(name)) }
    let link = folder.appendingPathComponent("..data")
    let next = folder.appendingPathComponent("..data_tmp").path
    try manager.createSymbolicLink(atPath: next, withDestinationPath: "..\(version)")
    guard rename(next, link.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    for name in files.keys where version == 1 {
        try manager.createSymbolicLink(
            atPath: folder.appendingPathComponent(name).path, withDestinationPath: "..data/\(name)")
    }
}

/// What the server has noticed so far.
enum Noticed {
    static let port = Mutex(0)
    static let key = Mutex("")
    static let problems = Mutex(0)

    static var problemCount: Int { problems.withLock { $0 } }
}

/// Returns when a condition holds.
func wait(until condition: () -> Bool) {
    let end = Date(timeIntervalSinceNow: 10)
    while !condition(), Date() < end { Thread.sleep(forTimeInterval: 0.01) }
    if !condition() {
        print("An edit was not noticed within 10 seconds.")
        exit(1)
    }
}

func demonstrate() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Server-\(UUID().uuidString.prefix(8))")
    let (file, secrets) = (folder.appendingPathComponent("server.json"), folder.appendingPathComponent("secrets"))
    try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: true)
    defer {
        do { try FileManager.default.removeItem(at: folder) } catch { print(error) }
    }
    try write(
        """
        {
            // The administrator's file.
            "http": { "prot": 9001, "port": 9000, "origins": ["https://example.org"], },
            "timeout": "half a minute"
        }

        """, to: file)
    try mount(["apiKey": "k-123\n"], version: 1, at: secrets)

    print("Look at the lines below each edit: what the server does at once, while it runs.")
    print("0. Wrong arguments: all mistakes at once, and nothing is started.")
    do {
        _ = try catalogue.parse(["--http-prot", "80", "--workers=many", "--secure"])
    } catch {
        print(
            error.description.components(separatedBy: "\n").prefix { !$0.hasPrefix("usage:") }.joined(separator: "\n"))
    }

    let invocation = try catalogue.parse(["--log-level", "debug", "--title=The corner shop"])
    let settings = SettingsService(
        defaults: try LayeredStore([
            .arguments(invocation),
            .environment(prefix: "SERVER_", ["SERVER_GREETING": "Good morning", "SERVER_WORKERS": "8"]),
            .directory(secrets, name: "secrets", isSecret: true),
            .file(file, name: "file", isRequired: true),
        ]),
        diagnosticSink: .init { error in
            print("diagnosed: \(error.code.name)\(error.expected.map { ", expected \($0)" } ?? "")")
            if let cause = error.underlying as? SettingsFileProblem { print("    \(cause)") }
            Noticed.problems.withLock { $0 += 1 }
        })

    print("1. The server starts. Two mistakes in the file are reported together, with their lines.")
    let subscription = try serve(settings, invocation)
    print(catalogue.table(in: settings))
    // Called after the server's own listener, so that what it prints is above the next edit.
    let server = try SettingsStorage<Server>(in: settings)
    let demonstrations = [
        server.observe(\.http.port) { port in Noticed.port.withLock { $0 = port } },
        server.observe(\.apiKey) { key in Noticed.key.withLock { $0 = key } },
    ]

    print("2. The administrator edits the file: the port changes at once.")
    try write(#"{ "http": { "port": 9100 } }"#, to: file)
    wait { Noticed.port.withLock { $0 } == 9100 }

    print("3. A file that ends too early: the server keeps its values, and says where.")
    var known = Noticed.problemCount
    try write("{ \"http\":\n", to: file)
    wait { Noticed.problemCount > known }
    print("port: \(server.http.port)")

    print("4. A value that the setting rejects: the server keeps its port, and says why.")
    known = Noticed.problemCount
    try write(#"{ "http": { "port": 91000 } }"#, to: file)
    // It can be read again, and has a value that is rejected.
    wait { Noticed.problemCount > known + 1 }
    print("port: \(server.http.port)")

    print("5. A good edit is taken at once.")
    try write(#"{ "http.port": 9200 }"#, to: file)
    wait { Noticed.port.withLock { $0 } == 9200 }

    print("6. The mounted secrets are swapped: the new key is in force, and no list shows it.")
    try mount(["apiKey": "k-456\n"], version: 2, at: secrets)
    wait { Noticed.key.withLock { $0 } == "k-456" }
    if let apiKey = catalogue.setting(named: "apiKey") {
        print("apiKey: \(settings.text(of: apiKey)) from \(settings.source(of: apiKey))")
    }
    for demonstration in demonstrations { demonstration.cancel() }
    subscription.cancel()
}

try demonstrate()
