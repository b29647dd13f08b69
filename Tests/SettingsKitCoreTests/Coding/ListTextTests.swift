import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Lists as text")
struct ListTextTests {
    private enum Format: String, Codable, CaseIterable { case json, plist, env }
    private struct Point: Codable, Equatable { var x: Int }

    private func read<T: Codable & Sendable>(_ texts: String..., as type: T.Type = T.self) -> T? {
        TextForm<T>.standard.readAll(texts)
    }

    @Test(
        "Elements are separated by commas, and a comma in one is quoted or follows a backslash",
        arguments: [
            ("", []), ("  ", []), ("a", ["a"]), ("a,b", ["a", "b"]), (" a ,\tb ", ["a", "b"]), ("a b,c", ["a b", "c"]),
            ("a,", ["a", ""]), (",", ["", ""]), (#""""#, [""]), (#""a,b",c"#, ["a,b", "c"]),
            (#""a\"b" , c"#, [#"a"b"#, "c"]), (#""\\",b"#, [#"\"#, "b"]), (#"a\,b,c"#, ["a,b", "c"]),
            (#"C:\dir,D:\"#, [#"C:\dir"#, #"D:\"#]), (#"5" nails,b"#, [#"5" nails"#, "b"]), ("[::1]:80", ["[::1]:80"]),
            ("[a", ["[a"]), ("null", ["null"]), ("é🎉,\u{301}", ["é🎉", "\u{301}"]),
        ])
    func commas(text: String, expected: [String]) {
        #expect(read(text) == expected)
        #expect(read(text, as: Set<String>.self) == Set(expected))
        if text != "null" { #expect(read(text, as: [String]?.self) == .some(expected)) }
    }

    @Test(
        "JSON is tried first",
        arguments: [(#"["[::1]:80"]"#, ["[::1]:80"]), (#" ["a,b", "c"] "#, ["a,b", "c"]), ("[]", [])])
    func json(text: String, expected: [String]) {
        #expect(read(text) == expected)
        #expect(read(text, as: [String]?.self) == expected)
    }

    @Test(
        "A text with an unfinished quotation mark, and JSON of another type, are no lists",
        arguments: [
            #""a"#, #"a,"b"#, #""a"b"#, #""\q""#, "[1]", #"[["a"]]"#, "[1e999,2]", "[\n1\n]", #"["a","b""#, #" [ "a""#,
        ])
    func noList(text: String) { #expect(read(text, as: [String].self) == nil) }

    @Test("Elements have the text of their type")
    func elements() {
        #expect(read("1, -2", as: [Int].self) == [1, -2] && read("1,x", as: [Int].self) == nil)
        #expect(read("1,", as: [Int].self) == nil && read("300", as: [UInt8].self) == nil)
        #expect(read("yes,off", as: [Bool].self) == [true, false])
        #expect(read("json,env,json", as: Set<Format>.self) == [.json, .env])
        #expect(read("json,yaml", as: [Format].self) == nil)
        #expect(read("1,null", as: [Int?].self) == [1, nil])
        #expect(read("1m,250ms", as: [Duration].self) == [.seconds(60), .milliseconds(250)])
        #expect(
            read("https://a.example,https://b.example", as: [URL].self)?.map(\.absoluteString).last
                == "https://b.example")
    }

    @Test("Lists of structures and of lists are JSON only")
    func nested() {
        #expect(read("1,2", as: [[Int]].self) == nil && read("[[1],[2]]", as: [[Int]].self) == [[1], [2]])
        #expect(read(#"{"x":1}"#, as: [Point].self) == nil && read(#"[{"x":1}]"#, as: [Point].self) == [Point(x: 1)])
        let lists: [[Int]?]? = read("1,2", as: [[Int]?].self)
        #expect(lists == nil)
        let points: [Point?]? = read(#"[{"x":1},null]"#, as: [Point?].self)
        #expect(points == [Point(x: 1), nil])
        #expect(read("1,null", as: [Int??].self)?.count == 2)
        #expect(TextForm<[Point]>.standard.expected == "an array in JSON")
        #expect(TextForm<[Point?]>.standard.expected == "an array in JSON")
    }

    @Test("Several texts are one list; of another type, the last one counts")
    func several() {
        #expect(read("a", "b,c", #"["d,e"]"#, "") == ["a", "b", "c", "d,e"])
        #expect(read("1", "x", as: [Int].self) == nil)
        #expect(
            read("a", "b", as: [String]?.self) == ["a", "b"] && read("a", "b", as: Set<String>.self) == ["a", "b"])
        #expect(read("1", "2", as: Int.self) == 2 && read("x", "2", as: Int?.self) == 2)
        let refused: [Int]?? = read("1", "x", as: [Int]?.self)
        if case .some = refused { Issue.record("nil is not refused") }
        let none: [Int]?? = read("null", as: [Int]?.self)
        if case .none = none { Issue.record("nil is refused") }
    }

    @Test("A list is written as JSON, and reads as itself")
    func roundTrip() {
        for list in [[], [""], ["a,b", "\"", "\\"], ["[1]"], ["null"]] {
            let form = TextForm<[String]>.standard
            #expect(form.write(list).flatMap(form.read) == list)
        }
    }

    @Test("What is expected names the elements, and JSON of another shape is described")
    func messages() {
        #expect(TextForm<[String]>.standard.expected == "a list with commas or in JSON")
        #expect(TextForm<Set<Int>?>.standard.expected == "a list with commas or in JSON, each element an integer")
        #expect(TextForm<[Int]>.standard.problem("[1, \"secret\"]") != nil)
        #expect(
            "\(String(describing: TextForm<[Int]>.standard.problem("[1, \"secret\"]")))".contains("secret") == false)
        #expect(TextForm<[Int]?>.standard.problem("[true]") != nil && TextForm<[Int]>.standard.problem("1,x") == nil)
    }

    @Test("An option that is repeated, a variable and a variable in JSON set a list; a later layer replaces it")
    func layers() throws {
        let hosts = Setting<[String]>("hosts", in: .defaults, default: ["localhost"])
        let port = Setting<Int>("port", in: .defaults, default: 8080)
        func value<T>(_ setting: Setting<T>, _ arguments: [String], _ environment: [String: String] = [:]) throws -> T {
            let layered = try LayeredStore([
                .arguments(arguments), .environment(prefix: "P_", environment), .writable(MemoryStore()),
            ])
            return SettingsService(stores: [.defaults: layered], diagnosticSink: .none).get(setting)
        }
        #expect(try value(hosts, ["--hosts", "a,b"]) == ["a", "b"])
        #expect(try value(hosts, ["--hosts", "a", "x", "--hosts=b"]) == ["a", "b"])
        #expect(try value(hosts, ["--hosts=a", "--no-hosts", "--hosts"]) == ["localhost"])
        #expect(try value(hosts, ["--hosts="]) == [])
        #expect(try value(hosts, [], ["P_HOSTS": "a, b"]) == ["a", "b"])
        #expect(try value(hosts, ["--hosts=c"], ["P_HOSTS": "a, b"]) == ["c"])
        #expect(try value(port, ["--port", "1", "--port=2"]) == 2)
    }

    @Test(
        "The nil of a record's field is that of a setting",
        arguments: [
            ["--hosts", "null"], ["--hosts=null"], ["--hosts=a", "--hosts=null"], ["--hosts=a", "--hosts", "null"],
            ["--is-quiet", "null"], ["--is-quiet=null"],
        ])
    func nilOfRecord(arguments: [String]) throws {
        struct Server: SettingsRecord, Equatable {
            var hosts: [String]? = ["localhost"]
            var isQuiet: Bool? = false
            static let empty = Server()
        }
        let layered = try LayeredStore([.arguments(arguments), .writable(MemoryStore())])
        let settings = SettingsService(stores: [.defaults: layered], diagnosticSink: .none)
        let server = try SettingsStorage<Server>(in: settings)
        #expect(server.hosts == settings.get(Setting<[String]?>("hosts", in: .defaults, default: ["localhost"])))
        #expect(server.isQuiet == settings.get(Setting<Bool?>("isQuiet", in: .defaults, default: false)))
    }

    @Test("A record's list is that of all of its options")
    func record() throws {
        struct Server: SettingsRecord {
            var hosts = ["localhost"]
            var isQuiet = false
            static let empty = Server()
        }
        let arguments = ["--s-hosts", "a", "--s-hosts=b,c", "--s-is-quiet", "true"]
        let layered = try LayeredStore([.arguments(arguments), .writable(MemoryStore())])
        let server = try SettingsStorage<Server>(name: "s", in: layered)
        #expect(server.hosts == ["a", "b", "c"] && server.isQuiet)
    }

    @Test(
        "A Boolean option uses the next argument only if that is exactly true or false",
        arguments: [
            (["--muted"], true), (["--muted", "false"], false), (["--muted", "true"], true), (["--muted", "no"], true),
            (["--muted", "False"], true), (["--muted=no"], false), (["--no-muted", "true"], false),
            (["--muted=false", "--muted"], true), (["--muted", "--", "false"], true),
        ])
    func flags(arguments: [String], expected: Bool) throws {
        let muted = Setting<Bool?>("muted", in: .defaults)
        let layered = try LayeredStore([.arguments(arguments), .writable(MemoryStore())])
        #expect(SettingsService(stores: [.defaults: layered], diagnosticSink: .none).get(muted) == expected)
    }
}
