import Foundation
import SettingsKitCore
import Testing

/// Values never appear in messages.
@Suite("Errors")
struct SettingsErrorTests {
    private static let secret = "hunter2"
    private static let secretNumber = 987_654_321

    private struct Telling: Error, CustomStringConvertible, LocalizedError {
        let value: String
        var description: String { "refused \(value)" }
        var errorDescription: String? { description }
    }

    /// Everything that a program may print of an error.
    private func printed(_ error: SettingsError) -> [String] {
        var dumped = ""
        dump(error, to: &dumped)
        var dumpedResult = ""
        dump(Result<Int, SettingsError>.failure(error), to: &dumpedResult)
        let any: any Error = error
        return [
            "\(error)", error.description, error.debugDescription, String(reflecting: error), "\(any)",
            String(reflecting: any), "\(Optional(error) as Any)", "\([error])", any.localizedDescription, dumped,
            dumpedResult, "\(Mirror(reflecting: error).children.map { "\($0)" })",
        ]
    }

    private func expectNoSecret(_ error: SettingsError?, _ location: SourceLocation = #_sourceLocation) throws {
        let error = try #require(error, sourceLocation: location)
        for text in printed(error) {
            #expect(!text.contains(Self.secret), "\(text)", sourceLocation: location)
            #expect(!text.contains("\(Self.secretNumber)"), "\(text)", sourceLocation: location)
        }
    }

    private func loadError<T>(_ setting: Setting<T>, stored: String) -> SettingsError? {
        #expect(throws: SettingsError.self) {
            try SettingsService.over(MemoryStore([setting.key.name: Data(stored.utf8)])).load(setting)
        }
    }

    private enum Level: String, Codable, Sendable { case low, high }
    private struct Profile: Codable, Sendable {
        struct Part: Codable, Sendable { var level = Level.low }
        var parts: [String: Part] = [:]
        var optional: Level?
    }

    @Test("Errors of decoding and encoding do not quote the value")
    func coding() throws {
        let number = "\(Self.secretNumber)"
        try expectNoSecret(loadError(Setting<Int8>("n", in: .defaults, default: 0), stored: number))
        try expectNoSecret(loadError(Setting<String>("n", in: .defaults, default: ""), stored: number))
        try expectNoSecret(loadError(Setting<Int>("n", in: .defaults, default: 0), stored: "\"\(Self.secret)\""))
        try expectNoSecret(loadError(Setting<Int>("n", in: .defaults, default: 0), stored: Self.secret))
        try expectNoSecret(loadError(Setting<[Int8]>("n", in: .defaults, default: []), stored: "[\(number)]"))
        let url = Setting<URL>("n", in: .defaults, default: URL(fileURLWithPath: "/"))
        try expectNoSecret(loadError(url, stored: "\"\(Self.secret) ://\""))
        let settings = SettingsService.over(MemoryStore())
        let list = Setting<Set<[String: Double]>>("l", in: .defaults, default: [])
        try expectNoSecret(
            #expect(throws: SettingsError.self) {
                try settings.save(list, to: [[Self.secret: .infinity, "n": Double(Self.secretNumber)]])
            })
    }

    @Test(
        "A decoding error says where in a structure it is, by the names of members and never by keys of dictionaries",
        arguments: [
            ("{\"parts\":{\"hunter2\":{\"level\":\"hunter2\"}}}", "none of the cases of its type, at parts.*.level."),
            (
                "{\"parts\":{\"hunter2\":{\"level\":1}}}",
                "Something else was found where String was expected, at parts.*.level."
            ),
            ("{\"parts\":{\"hunter2\":{}}}", "A member that the type requires is missing, at parts.*.level."),
            ("{\"parts\":[]}", "was expected, at parts."),
            ("{\"parts\":{},\"optional\":\"hunter2\"}", "none of the cases of its type, at optional."),
        ])
    func path(stored: String, message: String) throws {
        let setting = Setting<Profile>("n", in: .defaults, default: Profile())
        let error = try #require(loadError(setting, stored: stored))
        try expectNoSecret(error)
        #expect(error.description.contains(message), "\(error)")
        // As text of an argument, too.
        let store = try LayeredStore([.arguments(["--n", stored]), .writable(MemoryStore())])
        let other = #expect(throws: SettingsError.self) { try SettingsService.over(store).load(setting) }
        try expectNoSecret(other)
        #expect(other?.code == .invalidValue && other?.description.contains(message) == true)
    }

    @Test("An error of a transformer or a store that quotes the value is shown by its type only")
    func foreignErrors() throws {
        let sealed = Setting<String>(
            "s", in: .defaults, default: "",
            transformer: HookedTransformer(
                onTransform: { throw Telling(value: $0) },
                onUntransform: { throw Telling(value: String(decoding: $0, as: UTF8.self)) }))
        let settings = SettingsService.over(MemoryStore(["s": Data(Self.secret.utf8)]))
        let saving = #expect(throws: SettingsError.self) { try settings.save(sealed, to: Self.secret) }
        let loading = #expect(throws: SettingsError.self) { try settings.load(sealed) }
        try expectNoSecret(saving)
        try expectNoSecret(loading)
        #expect(saving?.description.contains("Telling") == true)
        let broken = TwoFunctionStore(willSet: { _, data in
            throw Telling(value: String(decoding: data ?? Data(), as: UTF8.self))
        })
        try expectNoSecret(
            #expect(throws: SettingsError.self) {
                try SettingsService.over(broken).save(
                    Setting<String>("s", in: .defaults, default: ""), to: Self.secret)
            })
        try expectNoSecret(
            SettingsError(.readFailed, underlying: SettingsError(.damaged, underlying: Telling(value: Self.secret))))
    }

    @Test("Codes match by name, in catch and in switch")
    func codes() {
        let own = SettingsError.Code(name: "vault.locked", advice: "Unlock the vault.")
        #expect(own == SettingsError.Code(name: "vault.locked", advice: "Something else."))
        #expect(own != .noStore)
        #expect("\(own) \(SettingsError.Code.noStore)" == "vault.locked noStore")
        #expect(SettingsError(own).description.contains("Unlock the vault."))
        #expect(SettingsError.Code(name: "vault.locked", advice: "") ~= SettingsError(own))
        do {
            throw SettingsError(own) as any Error
        } catch SettingsError.Code.noStore {
            Issue.record("another code matched")
        } catch SettingsError.Code(name: "vault.locked", advice: "") {
            return
        } catch {
            Issue.record("the code did not match")
        }
    }
}
