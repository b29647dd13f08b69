import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("Invalid files are neither trusted nor lost", .ownThreads)
struct BadInputTests {
    enum Input: String, CaseIterable, Sendable {
        case arrayAtRoot, stringAtRoot, emptyFile, spaces, zeros, deepXML, deepBinary, garbage, invalidUTF8
        case unfinished, binaryWithoutTrailer, openStep

        var bytes: Data {
            let head = #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">"#
            return switch self {
            case .arrayAtRoot: Data((head + "<array><string>x</string></array></plist>").utf8)
            case .stringAtRoot: Data((head + "<string>x</string></plist>").utf8)
            case .emptyFile: Data()
            case .spaces: Data(" \n\n".utf8)
            case .zeros: Data(count: 4_096)
            case .deepXML:
                Data(
                    (head + String(repeating: "<array>", count: 100_000)
                        + String(repeating: "</array>", count: 100_000) + "</plist>").utf8)
            case .deepBinary: Self.nestedBinary(depth: 100_000)
            case .garbage: Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
            case .invalidUTF8:
                Data((head + "<dict><key>").utf8) + [0xFF, 0xC0, 0x80] + Data("</key><true/></dict>".utf8)
            case .unfinished: Data((head + "<dict><key>a</key><integer>1</integer>").utf8)
            case .binaryWithoutTrailer: Data("bplist00".utf8) + [0xD0]
            case .openStep: Data(#"{ a = 1; b = "x"; }"#.utf8)
            }
        }

        /// Arrays of one element, each in the one before.
        private static func nestedBinary(depth: Int) -> Data {
            var data = Data("bplist00".utf8)
            var offsets: [UInt32] = []
            for index in 0..<depth {
                offsets.append(UInt32(data.count))
                data.append(0xA1)
                withUnsafeBytes(of: UInt32(index + 1).bigEndian) { data.append(contentsOf: $0) }
            }
            offsets.append(UInt32(data.count))
            data.append(0x09)
            let table = UInt64(data.count)
            for offset in offsets { withUnsafeBytes(of: offset.bigEndian) { data.append(contentsOf: $0) } }
            data.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 4])
            for number in [UInt64(offsets.count), 0, table] {
                withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
            }
            return data
        }
    }

    @Test("An invalid file is reported as damage once, and kept aside when replaced", arguments: Input.allCases)
    func keptAside(input: Input) throws {
        try withTemporaryDirectory { directory in try Self.check(input.bytes, in: directory) }
    }

    /// Opens damaged bytes, sets a value, and looks for both in the directory.
    static func check(_ damaged: Data, in directory: String) throws {
        let path = directory + "/Settings.plist"
        try write(damaged, to: path)
        let store = try open(path)
        let (service, problems) = SettingsService.over(store)
        #expect(problems.codes == [.damaged])
        #expect(problems.all.first?.description.contains(path) == true)
        try service.bringUpToDate()
        #expect(try names(in: directory) == ["Settings.plist"])
        #expect(try bytes(of: path) == damaged)
        try service.save(Setting<String>("new", in: .defaults, default: ""), to: "value")
        try service.bringUpToDate()
        #expect(try members(of: path)["new"] == .string("value"))
        let others = try names(in: directory).filter { $0 != "Settings.plist" }
        #expect(others.count == 1 && others[0].hasPrefix("Settings.plist.damaged-"), "\(others)")
        #expect(try bytes(of: directory + "/" + #require(others.first)) == damaged)
        #expect(problems.codes == [.damaged])
        #expect(try SettingsService.over(open(path)).problems.all.isEmpty)
    }

    @Test("A file cut off anywhere is damaged; its intact part is used, and the whole is kept", arguments: 0..<50)
    func truncated(place: Int) throws {
        try withPropertyList { path in
            do {
                let store = try open(path)
                for index in 0..<20 { try store.set(key("key\(index)"), to: Data("\"value \(index)\"".utf8)) }
                try store.set(key("list"), to: Data(#"[1,2,{"x":true}]"#.utf8))
                try store.bringUpToDate()
            }
            let whole = try bytes(of: path)
            let cut = whole.prefix(whole.count * place / 50)
            try write(cut, to: path)
            let store = try open(path)
            for index in 0..<20 {
                let value = store.get(key("key\(index)"))
                #expect(value == nil || value == Data("\"value \(index)\"".utf8))
            }
            if place > 45 { #expect(store.keys().count > 10) }
            try FileManager.default.removeItem(atPath: path)
        }
        try withTemporaryDirectory { directory in
            let whole = Data(xml("<key>a</key><string>x</string><key>b</key><array><true/></array>").utf8)
            try Self.check(whole.prefix((whole.count - 1) * place / 50), in: directory)
        }
    }

    @Test("A damaged file is not used, and is kept beside the new one")
    func damaged() throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer><key>b</key><date>no date</date><broken>"), to: path)
            let store = try open(path)
            #expect(store.keys().isEmpty)
            try store.set(key("c"), to: Data("3".utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["c": .integer(3)])
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory).contains { $0.contains(".damaged-") })
        }
    }

    @Test("Values of the wrong type read as the default, are reported once each, and stay in the file")
    func wrongTypes() throws {
        try withPropertyList { path in
            let text = xml("<key>n</key><string>x</string><key>s</key><array/><key>d</key><data>AAE=</data>")
            try write(text, to: path)
            let (service, problems) = SettingsService.over(try open(path))
            let number = Setting<Int>("n", in: .defaults, default: 7)
            let string = Setting<String>("s", in: .defaults, default: "default")
            let list = Setting<[Int]>("d", in: .defaults, default: [1])
            for _ in 1...3 {
                #expect(service.get(number) == 7)
                #expect(service.get(string) == "default")
                #expect(service.get(list) == [1])
            }
            #expect(problems.codes == [.decodingFailed, .decodingFailed, .decodingFailed])
            service.set(Setting<Bool>("other", in: .defaults, default: false), to: true)
            try service.bringUpToDate()
            let members = try members(of: path)
            #expect(members["n"] == .string("x"))
            #expect(members["s"] == .array([]))
            #expect(members["d"] == .data(Data([0, 1])))
        }
    }

    // In processes of their own, because they take many seconds in a debug build: other tests go on meanwhile.

    /// How many bytes a large file has, in millions.
    private static let millions = Rounds.choose(5, full: 20)

    @Test("A value of many megabytes is written and read")
    func large() async throws {
        try await withTemporaryDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                let path = directory + "/Settings.plist"
                let block = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) })
                let value = Data(repeatElement(block, count: BadInputTests.millions * 20).joined())
                do {
                    let store = try open(path)
                    try store.set(key("big"), to: value)
                    try store.bringUpToDate()
                }
                try #require(try open(path).get(key("big")) == value)
            }
        }
    }

    @Test("Many megabytes of zeros are damage, and kept")
    func largeDamage() async throws {
        try await withTemporaryDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                try BadInputTests.check(Data(count: BadInputTests.millions * 1_000_000), in: directory)
            }
        }
    }

    @Test("Names that no setting can have stay in the file, and crash nothing")
    func impossibleNames() async throws {
        try await withPropertyList { path in
            try write(xml("<key>a</key><true/>"), to: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                let url = URL(fileURLWithPath: path)
                let store = try PropertyListStore(url: url)
                let service = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
                let subscription = service.observe(in: .defaults) { _ in }
                let edited = "<plist><dict><key></key><true/><key>a</key><false/></dict></plist>"
                try Data(edited.utf8).write(to: url)
                try store.bringUpToDate()
                service.register(try PropertyListStore(url: url), for: .defaults)
                let setting = Setting<Int>("b", in: .defaults, default: 0)
                service.set(setting, to: 1)
                try service.bringUpToDate()
                withExtendedLifetime(subscription) { Foundation.exit(service.get(setting) == 1 ? 0 : 1) }
            }
            let found = try members(of: path)
            #expect(found == ["": .boolean(true), "a": .boolean(false), "b": .integer(1)])
        }
    }

    @Test("No value is in any message")
    func noValueInMessages() throws {
        try withPropertyList { path in
            let values = "<key>a</key><string>s3cret-token</string>"
            for text in [xml(values), xml(values + "<key>b</key><s3cret-tag/>")] {
                try write(text, to: path)
                let (service, problems) = SettingsService.over(try open(path))
                #expect(service.get(Setting<Int>("a", in: .defaults, default: 0)) == 0)
                #expect(problems.codes.count == 1)
                for problem in problems.all {
                    #expect(!"\(problem) \(String(reflecting: problem))".contains("s3cret-t"))
                }
            }
        }
    }
}
