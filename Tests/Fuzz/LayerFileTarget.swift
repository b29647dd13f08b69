import Foundation
import SettingsKitCore

extension FuzzTarget {
    /// The text of a file that is a layer, in JSON or with variables, and the name of a setting.
    static let layerFile = FuzzTarget(name: "layerFile") { bytes in
        var input = FuzzInput(bytes)
        let isJSON = input.byte() & 1 == 0
        let name = String(decoding: input.bytes(), as: UTF8.self)
        let format = isJSON ? SettingsFileFormat.json : .environment()
        let text: FileText
        do {
            text = try format.text(of: Data(input.remainder), path: "/file")
        } catch let problem as SettingsFileProblem {
            require(problem.line ?? 0 > 0 && problem.column ?? 0 > 0, "a problem has its place")
            return
        }
        let findings = text.findings(for: [name])
        for name in [name] + findings.map(\.name) {
            guard let candidate = text.candidate(for: SpelledName(name)), isJSON else { continue }
            let isValue = candidate.data.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: UInt8.self) { JSONScanner.isValue($0) }
            }
            // The name of a member with half a surrogate pair leaves an array as it is in the file.
            require(
                isValue || candidate.data.range(of: Data("\\u".utf8)) != nil, "the value of a setting is JSON in a line"
            )
        }
    } seeds: {
        let bodies = [
            "{\"a\":1}", "{\n// x\n\"a\": {\"b\": [1, {\"c\": null,}, \"\\u00e9\"], /* y */ \"d\": -1.5e3,},}",
            "{\"a.b\": true, \"a\": {\"b\": {}}, \"a\": []}", "\u{FEFF}{}", "{\"$schema\": \"x\", \"\": {\"\": \"\"}}",
            "export A='x'\nB=\"\\n\" # c\r\nC = d e\n", "# A\nA_B=$C\nA-B=1",
        ]
        return bodies.flatMap { body in [0, 1].map { [$0, 1, 97] + Array(body.utf8) } }
    }
}
