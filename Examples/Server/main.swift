import Foundation
import SettingsKit
import Synchronization

// A server that is configured by two files, its environment and its arguments, and edited while it runs. `Server.swift` is the
// whole server; this file plays the administrator and the user, and ends by itself. Watch what each edit prints.
//
// A real server has one line in the place of `demonstrate()`:
//
//     let settings = SettingsService(defaults: try LayeredStore.standard(environmentPrefix: "SERVER_"))
//
// or, to refuse wrong arguments, the layers below.

/// Replaces a property list, as an editor does.
func write(_ text: String, to file: URL) throws {
    let list = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>\(text)</dict></plist>
        """
    try Data(list.utf8).write(to: file, options: .atomic)
}

/// What the server has noticed so far.
enum Noticed {
    static let port = Mutex(0)
    static let problems = Mutex(0)
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
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
        do { try FileManager.default.removeItem(at: folder) } catch { print(error) }
    }
    let (system, user) = (folder.appendingPathComponent("System.plist"), folder.appendingPathComponent("User.plist"))
    let managed = folder.appendingPathComponent("Managed.plist")
    try write("<key>workers</key><integer>8</integer><key>timeout</key><string>half a minute</string>", to: system)
    try write("<key>port</key><string>9000</string><key>prot</key><integer>9001</integer>", to: user)

    print("Look at the lines below each edit: what the server does at once, while it runs.")
    print("0. Wrong arguments: all mistakes at once, and nothing is started.")
    do {
        _ = try catalogue.parse(["--prot", "80", "--workers=many", "--secure"])
    } catch {
        print(
            error.description.components(separatedBy: "\n").prefix { !$0.hasPrefix("usage:") }.joined(separator: "\n"))
    }

    let invocation = try catalogue.parse(["--log-level", "debug", "--title=The corner shop"])
    let settings = SettingsService(
        defaults: try LayeredStore([
            .locked(try PropertyListStore(url: managed, access: .readOnly), name: "managed"),
            .arguments(invocation),
            .environment(prefix: "SERVER_", ["SERVER_GREETING": "Good morning", "SERVER_API_KEY": "k-123"]),
            .writable(try PropertyListStore(url: user)),
            .fallback(try PropertyListStore(url: system, access: .readOnly), name: "system"),
        ]),
        diagnosticSink: .init { error in
            print("diagnosed: \(error.code.name), expected \(error.expected ?? "")")
            Noticed.problems.withLock { $0 += 1 }
        })

    print("1. The server starts. Two mistakes in the files are reported together.")
    let subscription = serve(settings, invocation)
    print(catalogue.table(in: settings))
    // Called after the server's own listener, so that what it prints is above the next edit.
    let demonstration = settings.observe(.port) { change in Noticed.port.withLock { $0 = change.newValue } }

    print("2. The user edits the file: the port changes at once.")
    try write("<key>port</key><integer>9100</integer>", to: user)
    wait { Noticed.port.withLock { $0 } == 9100 }

    print("3. A bad edit: the server keeps its port, and says why.")
    try write("<key>port</key><integer>91000</integer>", to: user)
    wait { Noticed.problems.withLock { $0 } > 0 }

    print("4. A good edit is taken at once.")
    try write("<key>port</key><integer>9200</integer>", to: user)
    wait { Noticed.port.withLock { $0 } == 9200 }

    print("5. The administrator locks the port: it cannot be changed here.")
    try write("<key>port</key><integer>443</integer>", to: managed)
    wait { Noticed.port.withLock { $0 } == 443 }
    do {
        try settings.save(.port, to: 80)
    } catch let error as SettingsError {
        print("save: \(error.code.name) by the layer \"\(error.layer ?? "")\"")
    }
    print("port: \(settings.text(of: .port)) from \(settings.source(of: .port)), locked: \(settings.isLocked(.port))")

    print("6. The administrator removes the lock: the user's port counts again.")
    try FileManager.default.removeItem(at: managed)
    wait { Noticed.port.withLock { $0 } == 9200 }
    demonstration.cancel()
    subscription?.cancel()
}

try demonstrate()
