import Foundation
import SettingsTestSupport
import Testing

/// The lines of an example's file that are not blank.
private func lineCount(ofExample path: String) throws -> Int {
    let text = try String(contentsOf: Guide.package.appending(path: "Examples/\(path)"), encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).count { !$0.allSatisfy(\.isWhitespace) }
}

@Test("A server with a dozen settings takes at most 30 lines, and a tool over its own settings 25")
private func examplesAreShort() throws {
    #expect(try lineCount(ofExample: "Server/Server.swift") <= 30)
    #expect(try lineCount(ofExample: "Player/main.swift") <= 25)
}
