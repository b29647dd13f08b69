import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

/// A source that has no settings, or from which none can be read.
private struct PoorFile: CustomTestStringConvertible {
    let testDescription: String
    let bytes: Data
    /// The options of the import, beside `--replace`.
    var options: [String] = []
    /// The extension of the file; nil for standard input.
    var pathExtension: String?
    /// Whether it is a file without settings, and `--allow-empty` accepts it.
    var isEmpty = false

    /// Contents that are no settings in any format.
    private static let foreign: [(String, Data)] = [
        ("NUL", Data(count: 16)), ("bytes that are not text", Data([0x80, 0xFF, 0x00, 0x81])),
        ("a sentence", Data("curl: (7) Failed to connect\n".utf8)),
        ("a page", Data("<html><body>404</body></html>".utf8)),
        ("a database", Data("SQLite format 3\0".utf8)),
    ]
    private static let blank: [(String, Data)] = [("nothing", Data()), ("blanks", Data(" \n\t\r\n\n".utf8))]
    private static let withoutSettings: [TransferFormat: [String]] = [
        .plist: ["<plist version=\"1.0\"><dict/></plist>"], .json: ["{}", "{\"$comment\": \"none\"}\n"],
        .env: ["# nothing\n"],
    ]
    private static let cut: [TransferFormat: String] = [
        .plist: "<plist version=\"1.0\"><dict><key>a</key><integer>1</integer><key>b</key><str", .json: "{\"a\": 1, ",
        .env: "A=1\nB='x",
    ]

    static let all: [PoorFile] =
        TransferFormat.allCases.flatMap { format in
            let contents =
                foreign.map { ($0.0, $0.1, false) } + blank.map { ($0.0, $0.1, true) }
                + withoutSettings[format, default: []].map { ($0, Data($0.utf8), true) }
                + [("a beginning", Data((cut[format] ?? "").utf8), false)]
            return contents.flatMap { name, bytes, isEmpty in
                [
                    PoorFile(
                        testDescription: "\(name), as \(format)", bytes: bytes, options: ["--format", format.rawValue],
                        isEmpty: isEmpty),
                    PoorFile(
                        testDescription: "\(name), in a file .\(format)", bytes: bytes, pathExtension: format.rawValue,
                        isEmpty: isEmpty),
                    PoorFile(testDescription: "\(name), from standard input", bytes: bytes, isEmpty: isEmpty),
                ]
            }
        } + [
            PoorFile(
                testDescription: "variables with another prefix", bytes: Data("OTHER_A=1\n".utf8),
                options: ["--format", "env", "--variable-prefix", "APP_"], isEmpty: true)
        ]
}

/// A store from which nothing can be copied.
private enum PoorStore: String, CaseIterable, CustomTestStringConvertible {
    case missing, empty, wrongKind, foreign, cut

    var testDescription: String { rawValue }

    /// Makes it in a directory.
    func make(_ kind: StoreKind, in directory: String) throws {
        let path = kind.file(in: directory)
        let url = URL(filePath: path)
        let files = FileManager.default
        try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
        switch self {
        case .missing: break
        case .empty:
            if kind == .shared {
                try files.createDirectory(atPath: path, withIntermediateDirectories: true)
                try files.createDirectory(atPath: "\(directory)/state", withIntermediateDirectories: true)
            } else {
                // In a process that has ended: a store of this one would close its files later.
                let store = kind.store(in: directory)
                let script = "settings set \(store) a 1 && settings delete \(store) a"
                #expect(try ToolProcess.bash(script, in: directory).code == 0)
            }
        case .wrongKind:
            if kind == .shared {
                try Data("x".utf8).write(to: url)
            } else {
                try files.createDirectory(at: url, withIntermediateDirectories: false)
            }
        case .foreign:
            if kind == .shared {
                try files.createDirectory(atPath: path, withIntermediateDirectories: true)
                try files.createDirectory(atPath: "\(directory)/state", withIntermediateDirectories: true)
                try Data("not a replica".utf8).write(to: url.appending(path: "notes.txt"))
            } else {
                try Data("Dear reader,\n".utf8).write(to: url)
            }
        case .cut:
            // The end of the only file is lost, and with it all settings.
            // In a process that has ended: a store of this one would write its files again.
            let store = try ToolBench.ready(kind, in: directory).kind.store(in: directory)
            #expect(try ToolProcess.bash("settings set \(store) a 1", in: directory).code == 0)
            for name in try files.subpathsOfDirectory(atPath: directory) where !name.hasPrefix("state") {
                let file = "\(directory)/\(name)"
                var isDirectory: ObjCBool = false
                guard files.fileExists(atPath: file, isDirectory: &isDirectory), !isDirectory.boolValue else {
                    continue
                }
                guard truncate(file, 60) == 0 else { throw POSIXError(.EIO) }
            }
            if kind == .shared {
                try files.removeItem(atPath: "\(directory)/state")
                try files.createDirectory(atPath: "\(directory)/state", withIntermediateDirectories: true)
            }
        }
    }
}

@Suite("A source without settings empties nothing", .ownThreads, .timeLimit(Rounds.timeLimit))
struct ToolEmptySourceTests {
    private static let held = ["a": Data("1".utf8), "b": Data("\"x\"".utf8)]

    @Test(
        "import --replace of a file without readable settings changes nothing and fails", arguments: PoorFile.all,
        StoreKind.allCases)
    private func importing(_ file: PoorFile, _ kind: StoreKind) throws {
        try withTemporaryDirectory { (directory: String) in
            try kind.fill(directory, with: Self.held)
            var path = "-"
            if let pathExtension = file.pathExtension {
                path = "\(directory)/source.\(pathExtension)"
                try file.bytes.write(to: URL(filePath: path))
            }
            let input = String(decoding: file.bytes, as: UTF8.self)
            let result = ToolBench(kind, in: directory).run(
                ["import", path, "--replace"] + file.options, input: input)
            #expect(result.code == 1 && !result.errors.isEmpty && result.output.isEmpty, "\(result)")
            #expect(try kind.contents(in: directory) == Self.held)
            let allowed = ToolBench(kind, in: directory).run(
                ["import", path, "--replace", "--allow-empty"] + file.options, input: input)
            #expect((allowed.code == 0) == file.isEmpty, "\(allowed)")
            #expect(try kind.contents(in: directory) == (file.isEmpty ? [:] : Self.held))
        }
    }

    @Test("What has no format changes nothing and fails, without --replace too", arguments: ["", "\n", "a sentence\n"])
    func withoutReplacing(_ text: String) throws {
        try withTemporaryDirectory { (directory: String) in
            for arguments in [["import", "-"], ["diff", "-"]] {
                try StoreKind.file.fill(directory, with: Self.held)
                let result = ToolBench(in: directory).run(arguments, input: text)
                #expect(result.code == 1 && result.message.contains("The input"), "\(arguments): \(result)")
                #expect(try StoreKind.file.contents(in: directory) == Self.held)
            }
        }
    }

    @Test("import --replace never removes a setting that the file has and that cannot be imported")
    func unsupported() throws {
        try withTemporaryDirectory { (directory: String) in
            try StoreKind.file.fill(directory, with: ["a.b": Data("1".utf8), "a-b": Data("2".utf8)])
            let before = try StoreKind.file.contents(in: directory)
            let result = ToolBench(in: directory).run(
                "import", "-", "--replace", "--skip-unsupported", input: "A_B=1\nC=2\n")
            #expect(result.code != 0 && result.message.contains("--replace"), "\(result)")
            #expect(try StoreKind.file.contents(in: directory) == before)
        }
    }

    @Test(
        "copy --replace from a store without readable settings changes nothing and fails",
        arguments: PoorStore.allCases, StoreKind.allCases)
    private func copying(_ store: PoorStore, _ kind: StoreKind) throws {
        for target in StoreKind.allCases {
            try withTemporaryDirectory { (directory: String) in
                try store.make(kind, in: "\(directory)/a")
                let before = try TestPicture.of("\(directory)/a")
                try target.fill("\(directory)/b", with: Self.held)
                let arguments = ["copy", "--replace"] + [target.store(in: "\(directory)/b")]
                let result = ToolBench(kind, in: "\(directory)/a").run(arguments)
                #expect(result.code == 1 && !result.errors.isEmpty, "\(target): \(result)")
                #expect(try target.contents(in: "\(directory)/b") == Self.held, "\(target)")
                #expect(try TestPicture.of("\(directory)/a") == before, "\(target)")
                guard store == .empty else { return }
                let allowed = ToolBench(kind, in: "\(directory)/a").run(arguments + ["--allow-empty"])
                #expect(allowed.code == 0, "\(target): \(allowed)")
                #expect(try target.contents(in: "\(directory)/b") == [:], "\(target)")
            }
        }
    }
}

/// The contents of all files in a directory, but for those that SQLite makes to read.
enum TestPicture {
    static func of(_ directory: String) throws -> [String: Data] {
        var picture: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            if path.hasSuffix("-wal") || path.hasSuffix("-shm") { continue }
            picture[path] = FileManager.default.contents(atPath: "\(directory)/\(path)") ?? Data()
        }
        return picture
    }
}
