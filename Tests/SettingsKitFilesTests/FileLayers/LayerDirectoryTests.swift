import Foundation
import SettingsKitCore
import SettingsKitPlatform
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

private let token = SettingsService.Setting<String>("token", in: .defaults, default: "none")
private let timeout = SettingsService.Setting<Int>("http.timeout", in: .defaults, default: 0)

@Suite("Layers that are directories with a file for each setting")
struct LayerDirectoryTests {
    private func url(_ path: String) -> URL { URL(fileURLWithPath: path, isDirectory: true) }

    private func service(_ layers: LayeredStore.Layer...) throws -> SettingsService {
        SettingsService.over(try LayeredStore(layers)).service
    }

    @Test(
        "A file is spelled as its setting, an option or a variable",
        arguments: ["http.timeout", "http-timeout", "httpTimeout", "HTTP_TIMEOUT"])
    func spelling(name: String) throws {
        try withTemporaryDirectory { directory in
            try write("30\n", to: "\(directory)/\(name)")
            #expect(try service(.directory(url(directory))).get(timeout) == 30)
        }
    }

    @Test("A byte order mark and one line break at the end are no part of text, and data has every byte")
    func bytes() throws {
        let data = SettingsService.Setting<Data>("data", in: .defaults, default: Data())
        try withTemporaryDirectory { directory in
            for (text, expected) in [
                ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a", "a"), ("", ""), (" a ", " a "),
                ("\u{FEFF}a\n", "a"), ("\u{FEFF}", ""), ("a\u{FEFF}", "a\u{FEFF}"),
            ] {
                try write(text, to: "\(directory)/token")
                #expect(try service(.directory(url(directory))).get(token) == expected)
            }
            for value in [Data([0, 10]), Data([255, 254, 10]), Data(), Data("\u{FEFF}".utf8)] {
                try write(value, to: "\(directory)/data")
                #expect(try service(.directory(url(directory))).get(data) == value)
            }
            // Not UTF-8.
            try write(Data([255]), to: "\(directory)/token")
            let settings = try service(.directory(url(directory)))
            #expect(settings.get(token) == "none")
            #expect(settings.problem(of: token)?.code == .invalidValue)
        }
    }

    @Test("Hidden files are ignored; what else is no setting's is found by a check")
    func check() throws {
        try withTemporaryDirectory { directory in
            let secrets = "\(directory)/secrets"
            try makeDirectory(secrets)
            try makeDirectory("\(secrets)/lost+found")
            try write("x", to: "\(secrets)/.hidden")
            try write("x", to: "\(secrets)/tokn")
            try write("5", to: "\(secrets)/http.timeout")
            try write("6", to: "\(secrets)/HTTP_TIMEOUT")
            try write("outside", to: "\(directory)/outside")
            try link("\(secrets)/token", to: "../outside")
            try #require(mkfifo("\(secrets)/fifo", 0o600) == 0)
            try write("", to: "\(secrets)/large")
            try #require(truncate("\(secrets)/large", 3 << 30) == 0)
            let settings = try service(.directory(url(secrets), name: "secrets"))
            #expect(settings.get(token) == "outside")
            #expect(settings.get(timeout) == 5)
            let catalogue = SettingsCatalogue("Player") {
                SettingsGroup("Server") {
                    token; timeout
                }
            }
            let problems = catalogue.check(in: settings).map { "\($0.kind) \($0.name ?? "") \($0.otherName ?? "")" }
            #expect(
                problems.sorted() == [
                    "unknownName fifo ", "unknownName large ", "unknownName lost+found ", "unknownName token ",
                    "unknownName tokn token",
                ])
        }
    }

    /// Makes the next version of a mounted ConfigMap, as kubelet does: a directory, and a link that is replaced.
    private func swap(_ number: Int, in directory: String, _ files: [String: String]) throws {
        let version = "..version-\(number)"
        try makeDirectory("\(directory)/\(version)")
        for (name, text) in files { try write(text, to: "\(directory)/\(version)/\(name)") }
        let data = "\(directory)/..data"
        let old = try? FileManager.default.destinationOfSymbolicLink(atPath: data)
        try link(data + "_tmp", to: version)
        try move(data + "_tmp", to: data)
        for name in files.keys where !FileManager.default.fileExists(atPath: "\(directory)/\(name)") {
            try link("\(directory)/\(name)", to: "..data/\(name)")
        }
        if let old { try removeAll("\(directory)/\(old)") }
    }

    @Test(
        "A mounted ConfigMap that is swapped in the middle of reading is read in one state, and links inside it are usual",
        .ownThreads)
    func configMap() async throws {
        struct Server: SettingsRecord, Equatable { var first = 0; var second = 0; static let empty = Server() }
        try await withTemporaryDirectory { directory in
            func files(_ number: Int) -> [String: String] { ["first": "\(number)\n", "second": "\(number)\n"] }
            try swap(1, in: directory, files(1))
            let store = try LayeredStore([.directory(url(directory), isSecret: true)])
            let (settings, problems) = SettingsService.over(store)
            let catalogue = SettingsCatalogue("Player") {
                SettingsGroup("Server") {
                    SettingsService.Setting<Int>("first", in: .defaults, default: 0)
                    SettingsService.Setting<Int>("second", in: .defaults, default: 0)
                }
            }
            #expect(catalogue.check(in: settings).isEmpty)
            let server = try SettingsStorage<Server>(in: store)
            let mixed = Recorder<Server>()
            let subscription = server.observe { change in
                if change.first != change.second { mixed.append(change) }
            }
            let last = Rounds.choose(300, full: 5_000)
            for number in 2...last {
                try swap(number, in: directory, files(number))
                let value = server.get()
                if value.first != value.second { mixed.append(value) }
            }
            try await until { server.get() == Server(first: last, second: last) }
            #expect(mixed.all.isEmpty)
            #expect(problems.all.isEmpty)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test(
        "Every call of the system may fail while a directory is read: its values are all there, or none, and come back")
    func failingCalls() async throws {
        try await withTemporaryDirectory { directory in
            try write("a", to: "\(directory)/token")
            try write("5", to: "\(directory)/http.timeout")
            for number in 0..<12 {
                let fileSystem = FaultyFileSystem()
                let reading = LayerDirectory(path: directory, fileSystem: fileSystem)
                let received = Recorder<Bool>()
                fileSystem.set(.once(number, errno: EIO))
                let follower = try LayerFileFollower(reading, isRequired: false) { reading in
                    guard case .text(let text) = reading else { return }
                    received.append(
                        ["token", "http.timeout"].allSatisfy { text.candidate(for: SpelledName($0)) != nil })
                }
                try await until { received.count > 0 }
                #expect(received.all == [true])
                withExtendedLifetime(follower) {}
            }
        }
    }

    @Test(
        "A directory that is a link, appears, is exchanged and disappears is followed"
    )
    func followed() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/secrets"
            let settings = try service(.writable(MemoryStore()), .directory(url(path)))
            #expect(settings.get(token) == "none")
            try makeDirectory("\(directory)/one")
            try write("1", to: "\(directory)/one/token")
            try link(path, to: "one")
            try await until { settings.get(token) == "1" }
            try makeDirectory("\(directory)/two")
            try write("2", to: "\(directory)/two/token")
            try link(path + ".new", to: "two")
            try move(path + ".new", to: path)
            try await until { settings.get(token) == "2" }
            try removeAll(path)
            try await until { settings.get(token) == "none" }
        }
    }

    @Test("The credentials of systemd are a directory with secrets; without the variable there are none")
    func credentials() throws {
        try withTemporaryDirectory { directory in
            try write("secret", to: "\(directory)/token")
            let settings = try service(.credentials(["CREDENTIALS_DIRECTORY": directory]))
            #expect(settings.get(token) == "secret")
            #expect(settings.text(of: token) == "•••")
            #expect(settings.source(of: token) == .layer("credentials"))
            #expect(try service(.credentials([:])).get(token) == "none")
        }
    }
}
