import Foundation
import SettingsKit
import SettingsSQLite
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

extension StoreKind {
    /// Opens a store in a directory for writing, as a program does.
    func open(in directory: String) throws -> any SettingsStore {
        switch self {
        case .file: try PropertyListStore(url: URL(filePath: "\(directory)/Settings.plist"))
        case .shared:
            try DirectoryStore(at: URL(filePath: "\(directory)/shared"), state: URL(filePath: "\(directory)/state"))
        case .sqlite: try SQLiteStore(at: URL(filePath: "\(directory)/settings.sqlite"))
        }
    }

    /// Stores settings, and returns when they are in the files.
    func fill(_ directory: String, with settings: [String: Data]) throws {
        let store = try open(in: directory)
        _ = try store.apply(SettingsStoreBatch(writes: settings.map { .init(key: key($0.key), data: $0.value) }))
        try store.synchronize()
    }

    /// What a store holds.
    func contents(in directory: String) throws -> [String: Data] {
        let store = try open(in: directory)
        return try Dictionary(
            uniqueKeysWithValues: store.keys().compactMap { name in
                try store.get(key(name)).map { (name, $0) }
            })
    }
}

@Suite("Exporting, importing and comparing stores", .ownThreads)
struct ToolTransferTests {
    private static let settings = [
        "volume": Data("0.5".utf8), "hosts": Data(#"["a","b"]"#.utf8), "seal": Data([1, 2, 255]),
        "nickname": Data("null".utf8),
        "two\nlines": Data("\"\\u001b[31mred\"".utf8),
    ]

    @Test(
        "What is exported and imported, or copied, between any two stores has the same bytes",
        arguments: StoreKind.allCases,
        StoreKind.allCases)
    func exportAndImport(_ source: StoreKind, _ target: StoreKind) throws {
        try withTemporaryDirectory { (directory: String) in
            try source.fill("\(directory)/a", with: TransferSamples.settings)
            for format in TransferFormat.written {
                let file = "\(directory)/export.\(format.rawValue)"
                let exported = ToolBench(source, in: "\(directory)/a").run("export", file)
                #expect(exported.code == 0 && exported.errors.isEmpty, "\(exported)")
                let other = try ToolBench.ready(target, in: "\(directory)/\(format.rawValue)")
                let imported = other.run("import", file)
                #expect(imported.code == 0 && imported.errors.isEmpty, "\(imported)")
                #expect(other.run("import", file).output == "Nothing changes.\n")
                #expect(other.run("diff", file) == .init(0))
                #expect(try target.contents(in: other.directory) == TransferSamples.settings)
            }
            let (copy, back) = (try ToolBench.ready(target, in: "\(directory)/b"), source.store(in: "\(directory)/a"))
            let count = TransferSamples.settings.count
            let copied = ToolBench(source, in: "\(directory)/a").run(["copy", target.store(in: copy.directory)])
            #expect(copied == .init(0, "\(count) settings, \(count) changed.\n"))
            #expect(try target.contents(in: copy.directory) == TransferSamples.settings)
            #expect(copy.run("copy", back) == .init(0, "\(count) settings, 0 changed.\n"))
        }
    }

    @Test("An export replaces a file and nothing else, and never the store itself", arguments: StoreKind.allCases)
    func exportToUnusualPlaces(_ kind: StoreKind) throws {
        try withTemporaryDirectory { (directory: String) in
            let bench = try ToolBench.ready(kind, in: "\(directory)/a")
            // In a process that has ended: a store of this one may still write.
            let store = kind.store(in: "\(directory)/a")
            #expect(try ToolProcess.bash("settings set \(store) a 1", in: directory) == .init(0))
            let own = kind.file(in: "\(directory)/a")
            let file = kind == .shared ? "\(own)/x.json" : own
            let result = bench.run("export", file, "--format=json")
            #expect(result.code == 1 && result.message.contains("belongs to the store"), "\(result)")
            #expect(mkfifo("\(directory)/pipe", 0o600) == 0)
            for (name, code) in [(".", Int32(1)), ("pipe", 1), ("none/x.json", 1), ("x.env", 2)] {
                let result = bench.run("export", "\(directory)/\(name)")
                #expect(result.code == code && result.output.isEmpty, "\(name): \(result)")
            }
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: directory)) == ["a", "pipe"])
            #expect(bench.run("export", "\(directory)/new.json").code == 0)
            let mode = try FileManager.default.attributesOfItem(atPath: "\(directory)/new.json")[.posixPermissions]
            #expect(mode as? Int == 0o600)
            #expect(bench.run("get", "a").output == "1\n")
        }
    }

    @Test(
        "import merges, and replaces only if it is asked to; --dry-run changes nothing", arguments: StoreKind.allCases)
    func merging(_ kind: StoreKind) throws {
        try withTemporaryDirectory { (directory: String) in
            let bench = try ToolBench.ready(kind, in: directory)
            let before = try FileManager.default.contentsOfDirectory(atPath: directory)
            let dry = bench.run("import", "-", "--dry-run", input: #"{"a": 1}"#)
            #expect(dry.code == 0 && dry.output == "+ a: 1\n", "\(dry)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == before)
            try kind.fill(directory, with: ["a": Data("1".utf8), "b": Data("2".utf8)])
            let file = #"{"a": 3, "c": "\u001b[31m"}"#
            let expected = "~ a: 1 → 3\n+ c: \\u{1B}[31m\n"
            #expect(bench.run("import", "-", "--dry-run", input: file).output == expected)
            #expect(try kind.contents(in: directory).count == 2)
            #expect(bench.run("import", "-", input: file) == .init(0, expected))
            #expect(bench.run("import", "-", "--replace", input: #"{"a": 3}"#).output == "- b: 2\n- c: \\u{1B}[31m\n")
            #expect(try kind.contents(in: directory) == ["a": Data("3".utf8)])
        }
    }

    @Test(
        "A file that cannot be read in full, or has no settings, changes nothing, and the message has no value",
        arguments: [
            ("json", #"{"a": 1, "b": sesame}"#), ("env", "A=1\nB='sesame"), ("plist", "<plist><array/></plist>"),
            ("plist", "<plist><dict><key>a</key><string>sesame</dict></plist>"), ("json", ""), ("json", "{}"),
            ("env", "OTHER=1\n"),
        ])
    func uselessFiles(_ format: String, _ file: String) throws {
        try withTemporaryDirectory { (directory: String) in
            try StoreKind.file.fill(directory, with: Self.settings)
            let result = ToolBench(in: directory).run(
                ["import", "-", "--format", format, "--replace", "--variable-prefix", "APP_"], input: file)
            #expect(result.code == 1 && !result.errors.isEmpty && !result.errors.contains("sesame"), "\(result)")
            #expect(try StoreKind.file.contents(in: directory) == Self.settings)
        }
    }

    @Test("diff says with its exit code whether two stores differ")
    func comparing() throws {
        try withTemporaryDirectory { (directory: String) in
            try StoreKind.file.fill(
                "\(directory)/a", with: ["a": Data("1".utf8), "b": Data("2".utf8), "c": Data("3".utf8)])
            try StoreKind.sqlite.fill(
                "\(directory)/b", with: ["b": Data("2".utf8), "c": Data("4".utf8), "d": Data("5".utf8)])
            let bench = ToolBench(in: "\(directory)/a")
            let second = [StoreKind.sqlite.store(in: "\(directory)/b")]
            #expect(bench.run(["diff"] + second) == .init(3, "- a: 1\n~ c: 3 → 4\n+ d: 5\n"))
            let changes = try #require(bench.run(["diff", "--json"] + second).json?.array)
            #expect(
                changes[1]
                    == .object([
                        "name": .string("c"), "change": .string("changed"), "old": .integer(3), "new": .integer(4),
                    ]))
            let same = [StoreKind.file.store(in: "\(directory)/a")]
            #expect(bench.run(["diff"] + same) == .init(0))
            #expect(bench.run("diff").code == 2)
            #expect(bench.run(["diff", "x"] + second).code == 2)
            #expect(bench.run(["diff", "\(directory)/none.plist"]).code == 1)
        }
    }

    @Test("A store is compared with an export in a pipe", arguments: ["json", "plist"])
    func pipe(format: String) throws {
        try withTemporaryDirectory { (directory: String) in
            let result = try ToolProcess.bash(
                """
                settings set a.plist x 1
                f="--format \(format)"
                settings diff a.plist $f <(settings export a.plist $f) && echo same
                settings set b.plist x 2
                settings diff a.plist $f <(settings export b.plist $f) || echo $?
                """, in: directory)
            #expect(result == .init(0, "same\n~ x: 1 → 2\n3\n"), "\(result)")
        }
    }

    @Test("A damaged store is exported as far as its values are known, with exit code 1")
    func damagedStore() throws {
        try withTemporaryDirectory { (directory: String) in
            try Data("<plist version=\"1.0\"><dict><key>a</key><integer>1</integer><key>b</key><str".utf8)
                .write(to: URL(filePath: "\(directory)/Settings.plist"))
            let bench = ToolBench(in: directory)
            let exported = bench.run("export")
            #expect(exported.code == 1 && exported.output == "{}\n" && !exported.errors.isEmpty)
            let copied = bench.run(["copy", "--replace"] + [StoreKind.sqlite.store(in: directory)])
            #expect(copied.code == 1 && copied.message.contains("Nothing was copied"))
        }
    }
}
