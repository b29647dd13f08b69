import Foundation

/// An article of a documentation catalogue, for tests that compare what it says with the code.
package struct Guide {
    /// The directory of this package.
    package static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The article's text.
    package let text: String

    /// Reads an article, for example `Limits`, of a target.
    package init(_ name: String, of target: String = "SettingsKit") throws {
        text = try String(
            contentsOf: Self.package.appending(path: "Sources/\(target)/\(target).docc/\(name).md"), encoding: .utf8)
    }

    /// The cells of the table row that begins with a cell, without that one; nil if there is no such row, or several.
    package func row(_ first: String) -> [String]? {
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| \(first) |") }
        guard rows.count == 1 else { return nil }
        return rows[0].split(separator: "|").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The text below each heading of the third level, up to the next heading.
    package var sections: [(title: String, text: String)] {
        text.components(separatedBy: "\n#").compactMap { part in
            guard part.hasPrefix("## ") else { return nil }
            let lines = part.dropFirst(3).split(separator: "\n", maxSplits: 1)
            return (String(lines[0]), lines.count == 2 ? String(lines[1]) : "")
        }
    }
}
