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
        "A list is elements with commas, or JSON, which is tried first",
        arguments: [
            ("", []), ("  ", []), ("a", ["a"]), (" a ,\tb ", ["a", "b"]), ("a b,c", ["a b", "c"]),
            ("a,", ["a", ""]), (",", ["", ""]), (#""a","b""#, [#""a""#, #""b""#]),
            (#"C:\dir,D:\"#, [#"C:\dir"#, #"D:\"#]),
            (#"5" nails,b"#, [#"5" nails"#, "b"]), ("[::1]:80", ["[::1]:80"]), ("[a", ["[a"]),
            (#"["[::1]:80"]"#, ["[::1]:80"]), (#" ["a,b", "c"] "#, ["a,b", "c"]), ("[]", []),
        ])
    func lists(text: String, expected: [String]) {
        #expect(read(text) == expected)
        #expect(read(text, as: Set<String>.self) == Set(expected))
        #expect(read(text, as: [String]?.self) == .some(expected))
    }

    @Test(
        "JSON of another type and the beginning of JSON are no lists",
        arguments: ["[1]", #"[["a"]]"#, "[1e999,2]", "[\n1\n]", #"["a","b""#, #" [ "a""#])
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
    }

    @Test("Lists of structures and of lists are JSON only")
    func nested() {
        #expect(read("1,2", as: [[Int]].self) == nil && read("[[1],[2]]", as: [[Int]].self) == [[1], [2]])
        #expect(read(#"{"x":1}"#, as: [Point].self) == nil && read(#"[{"x":1}]"#, as: [Point].self) == [Point(x: 1)])
        let points: [Point?]? = read(#"[{"x":1},null]"#, as: [Point?].self)
        #expect(points == [Point(x: 1), nil])
        #expect(TextForm<[Point]>.standard.expected == "an array in JSON")
    }

    @Test("Several texts are one list; of another type, the last one counts")
    func several() {
        #expect(read("a", "b,c", #"["d,e"]"#, "") == ["a", "b", "c", "d,e"])
        #expect(read("1", "x", as: [Int].self) == nil)
        #expect(
            read("a", "b", as: [String]?.self) == ["a", "b"] && read("a", "b", as: Set<String>.self) == ["a", "b"])
        #expect(read("1", "2", as: Int.self) == 2 && read("x", "2", as: Int?.self) == 2)
        let refused: [Int]?? = read("1", "x", as: [Int]?.self)
        let none: [Int]?? = read("null", as: [Int]?.self)
        #expect(refused == .none && none == .some(nil))
    }

    @Test("What is expected names the elements, and JSON of another shape is described without its values")
    func messages() throws {
        #expect(TextForm<[String]>.standard.expected == "a list with commas or in JSON")
        #expect(TextForm<Set<Int>?>.standard.expected == "a list with commas or in JSON, each element an integer")
        let problem = try #require(TextForm<[Int]>.standard.problem("[1, \"secret\"]"))
        #expect(!"\(problem)".contains("secret"))
        #expect(TextForm<[Int]?>.standard.problem("[true]") != nil && TextForm<[Int]>.standard.problem("1,x") == nil)
    }
}
