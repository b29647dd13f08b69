// Writes the Swift code of a guide to a file that compiles, and the tests of that code behind it:
//
//     settings-guide-code OUTPUT GUIDE [TESTS]
//
// The code of a guide is, in the order of the page,
// - its blocks of Swift, but for the manifests of packages,
// - what HTML comments hide from readers: <!-- swift: CODE -->, or several lines between <!-- swift and -->,
// - for <!-- swift after PAGE -->, the code of another page of the catalogue without its tests.
//
// Declarations become private, so that all guides can use the same names. Diagnostics are at the lines of the guide.
import Foundation

struct GuideCode {
    private(set) var imports: Set<String> = ["Foundation", "SettingsKit"]
    private(set) var text = ""
    /// How many braces are open: a declaration outside of them is one of the file.
    private var depth = 0

    mutating func append(contentsOf page: URL, withTests: Bool = true) throws {
        let text = try String(contentsOf: page, encoding: .utf8)
        var rest = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = rest.popFirst() {
            let number = rest.startIndex
            if line == "```swift" || line == "<!-- swift" {
                let isShown = line == "```swift"
                let code = rest.prefix { $0 != (isShown ? "```" : "-->") }
                rest = rest[code.endIndex...].dropFirst()
                let isManifest = code.first?.contains(/^\/\/ (In Package.swift|swift-tools-version)/) ?? false
                let isLeftOut = !withTests && code.contains { $0.hasPrefix("@Test") }
                if !isManifest && !isLeftOut { append(code, of: page, from: number + 1, isShown: isShown) }
            } else if let code = line.wholeMatch(of: /<!-- swift: (.*) -->/) {
                append([code.1], of: page, from: number, isShown: false)
            } else if let name = line.wholeMatch(of: /<!-- swift after (\w+) -->/) {
                let other = page.deletingLastPathComponent().appending(path: "\(name.1).md")
                try append(contentsOf: other, withTests: false)
            } else if line.contains(/^\s*(```|~~~)\s*swift|<!--\s*swift/.ignoresCase()) {
                throw Unreadable(place: "\(page.path):\(number)")
            }
        }
    }

    private mutating func append(_ code: ArraySlice<Substring>, of page: URL, from number: Int, isShown: Bool) {
        text += "#sourceLocation(file: \"\(page.path)\", line: \(number))\n"
        for line in code {
            // The code may be in a function, where no import can be. The tests' entry point is another one.
            if isShown, let name = line.wholeMatch(of: /import (\w+)/) {
                imports.insert(String(name.1))
            } else if line != "@main" {
                text += depth == 0 ? Self.makingPrivate(line) : line
            }
            text += "\n"
            depth += line.count { $0 == "{" } - line.count { $0 == "}" }
        }
    }

    /// The line, with the word `private` if a declaration begins there.
    private static func makingPrivate(_ line: Substring) -> Substring {
        // A conformance has no access level.
        if line.starts(with: /extension [\w.]+:/) { return line }
        let declaration = /^(@\w+ )*((final )?(actor|class|enum|extension|func|let|struct|typealias|var) )/
        guard let match = line.firstMatch(of: declaration) else { return line }
        return line[..<match.2.startIndex] + "private " + line[match.2.startIndex...]
    }
}

/// A block or a comment that looks like code, and is not written as above.
struct Unreadable: Error, CustomStringConvertible {
    let place: String
    var description: String { "\(place): error: this is not read as Swift; see Tests/SettingsGuideCode." }
}

let paths = CommandLine.arguments.dropFirst().map { URL(filePath: $0) }
var code = GuideCode()
do { try code.append(contentsOf: paths[1]) } catch {
    print(error)
    exit(1)
}
let product = paths[1].path.firstMatch(of: /Sources\/(\w+)\//).map { [String($0.1)] } ?? []
var text = code.imports.union(product).sorted().map { "import \($0)\n" }.joined() + code.text
for tests in paths.dropFirst(2) {
    text += "#sourceLocation(file: \"\(tests.path)\", line: 1)\n" + (try String(contentsOf: tests, encoding: .utf8))
}
try text.write(to: paths[0], atomically: true, encoding: .utf8)
