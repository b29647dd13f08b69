import Foundation
import SettingsKit
import Testing

/// The public codes that the sources of a target define.
private func codes(of target: String) throws -> Set<String> {
    let folder = Guide.package.appending(path: "Sources/\(target)")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var codes: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        for match in text.matches(of: /public static let (\w+) = Self\(\s*name: "(\w+)"/) {
            #expect(match.1 == match.2)
            codes.insert(String(match.1))
        }
    }
    return codes
}

@Suite("Troubleshooting")
struct TroubleshootingTests {
    @Test("A logger receives the code, the setting and the store of an error, and no value")
    func log() {
        let lines = Recorder<String>()
        let settings = settingsWithLog(MemoryStore()) { lines.append($0) }
        let retries = Setting<Int>("retries", in: .defaults, default: 3, validation: .range(0...10))
        settings.set(retries, to: 4_711)
        #expect(lines.count == 1)
        for part in ["invalidValue", "retries", "0 to 10"] { #expect(lines.all.first?.contains(part) == true) }
        #expect(lines.all.first?.contains("4711") == false)
    }

    @Test("Every public code of an error has a section with cause and cure, and no section is about another code")
    func everyCodeHasASection() throws {
        let all = try ["SettingsKitCore", "SettingsKitPlatform", "SettingsKitFiles", "SettingsKit"]
            .reduce(into: Set()) { all, target in all.formUnion(try codes(of: target)) }
        #expect(all.count > 20)
        let sections = try Guide("Troubleshooting").sections.filter { $0.text.contains("**Cause.**") }
        #expect(Set(sections.map(\.title)) == all)
        #expect(sections.count == all.count)
        for section in sections { #expect(section.text.contains("**Cure.**"), "\(section.title)") }
    }

    @Test(
        "Every public code of another product is in an article of that product",
        arguments: [("SettingsSQLite", "RecordsInADatabase"), ("SettingsEtcd", "SettingsForAFleet")])
    func everyCodeOfAProductIsListed(product: String, article: String) throws {
        let all = try codes(of: product)
        #expect(!all.isEmpty)
        let text = try Guide(article, of: product).text
        for code in all.sorted() { #expect(text.contains("`\(code)`"), "\(code)") }
    }
}
