import SettingsKitCore
import Testing

@Suite("Text that is JSON of another shape")
struct JSONTextProblemTests {
    private struct Limit: Codable, Sendable, Equatable {
        var perMinute = 60
        var burst = 10
    }

    @Test(
        "The message names the place in the value, and quotes nothing of it",
        arguments: [
            (#"{"perMinute":54321}"#, "A member that the type requires is missing, at burst."),
            (#"{"perMinute":"54321","burst":1}"#, "Something else was found where Int was expected, at perMinute."),
            (#"[54321]"#, "Something else was found where"), ("54321 no JSON", nil),
        ] as [(String, String?)])
    func place(text: String, cause: String?) throws {
        let store = try LayeredStore([.arguments(["--limit", text]), .writable(MemoryStore())])
        let settings = SettingsService.over(store)
        let error = #expect(throws: SettingsError.self) {
            _ = try settings.load(Setting<Limit>("limit", in: .defaults, default: Limit()))
        }
        let description = try #require(error?.description)
        #expect(error?.code == .invalidValue && description.contains("JSON") && !description.contains("54321"))
        if let cause { #expect(description.contains(cause)) } else { #expect(!description.contains("Cause")) }
    }
}
