import Foundation
import SettingsKitCore
import Testing

@Suite("Layers of text")
struct TextLayerTests {
    private func candidates(_ layer: LayeredStore.Layer, _ name: String) throws -> [SettingsStoreCandidate] {
        try LayeredStore([layer, .writable(MemoryStore())]).candidates(for: key(name))
    }

    /// "form text at location".
    private func argument(_ name: String, _ arguments: [String]) throws -> String? {
        let candidates = try candidates(.arguments(arguments), name)
        #expect(candidates.count <= 1 && candidates.allSatisfy { $0.isLocking && $0.layer == "arguments" })
        return candidates.first.map { candidate in
            let text = String(decoding: candidate.data, as: UTF8.self)
            let location = candidate.location ?? "?"
            return switch candidate.form {
            case .stored: "stored"
            case .json, .file: "from a file"
            case .text: "text \(text) at \(location)"
            case .argument(let next): "flag \(text) next \(next ?? "nil") at \(location)"
            }
        }
    }

    @Test(
        "An argument is text, or a flag with the next argument",
        arguments: [
            (["--launchCount=3"], "text 3 at --launchCount"), (["--launch-count=3"], "text 3 at --launch-count"),
            (["--launch-count", "3"], "flag true next 3 at --launch-count"),
            (["--launch-count=a=b"], "text a=b at --launch-count"), (["--launchCount="], "text  at --launchCount"),
            (["--launchCount", "-5"], "flag true next -5 at --launchCount"),
            (["--launchCount", "--other"], "flag true next nil at --launchCount"),
            (["--launchCount"], "flag true next nil at --launchCount"),
            (["--launchCount", "false"], "flag true next false at --launchCount"),
            (["--launchCount", "--", "3"], "flag true next nil at --launchCount"),
            (["--no-launch-count", "3"], "flag false next nil at --no-launch-count"),
            (["--no-launchCount"], "flag false next nil at --no-launchCount"),
            (["--launchCount=1", "--launch-count=2"], "text 2 at --launch-count"),
            (["--launch-count=2", "--launchCount=1"], "text 1 at --launchCount"),
            (["--launchCount", "--no-launchCount"], "flag false next nil at --no-launchCount"),
            (["--no-launchCount", "--launchCount"], "flag true next nil at --launchCount"),
            (["--launchCount=1", "--no-launchCount=2"], "text 1 at --launchCount"),
            (["file", "-v", "--other", "x", "--launchCount=1", "--last"], "text 1 at --launchCount"),
        ])
    func understood(arguments: [String], expected: String) throws {
        #expect(try argument("launchCount", arguments) == expected)
    }

    @Test(
        "Other arguments, and all behind two hyphens, are left alone",
        arguments: [
            [], ["launchCount=3"], ["-launchCount=3"], ["--", "--launchCount=3"], ["--launch_count=3"],
            ["--launchcount=3"], ["--LAUNCH-COUNT=3"], ["--"], ["--=3"], ["--launchCounts=1"],
        ])
    func leftAlone(arguments: [String]) throws {
        #expect(try argument("launchCount", arguments) == nil)
    }

    @Test("A variable is text, and its name is the location")
    func variable() throws {
        let variables = ["PLAYER_LAUNCH_COUNT": "3", "PLAYER_USER": "", "LAUNCH_COUNT": "4"]
        let layer = LayeredStore.Layer.environment(prefix: "PLAYER_", variables)
        #expect(
            try candidates(layer, "launchCount") == [
                .init(
                    Data("3".utf8), form: .text, layer: "environment", isLocking: true, location: "PLAYER_LAUNCH_COUNT")
            ])
        #expect(try candidates(layer, "user").first?.data == Data())
        #expect(try candidates(layer, "missing").isEmpty)
    }

    @Test("Text is in the list of candidates, but no answer of get, and not among the keys")
    func getSkipsText() throws {
        let layered = try LayeredStore([
            .arguments(["--a=1"]), .writable(MemoryStore()), .fallback(MemoryStore(["a": "2"]), name: "system"),
        ])
        #expect(try layered.summary("a") == "arguments!=1 system=2")
        #expect(try layered.text("a") == "2")
        #expect(try layered.keys() == ["a"])
        #expect(try LayeredStore([.arguments(["--a=1"]), .writable(MemoryStore())]).keys().isEmpty)
    }

    @Test("By default, the layers are the arguments and the environment of the process")
    func defaults() throws {
        let environment = ProcessInfo.processInfo.environment
        let name = try #require(environment.keys.first { $0.allSatisfy { $0.isUppercase && $0.isLetter } })
        #expect(try candidates(.environment(prefix: ""), name.lowercased()).first?.location == name)
        #expect(try candidates(.arguments(), "no such option").isEmpty)
    }
}
