import Foundation

/// What a device tells the process that started it: lines of JSON on its standard output.
enum Message: Codable, Sendable {
    /// Something for people.
    case says(String)
    /// It changes nothing any more.
    case hasPlayed
    /// What it was asked for.
    case report(Report)

    func send() {
        guard let line = try? JSONEncoder().encode(self) else { return }
        Console.show(String(decoding: line, as: UTF8.self))
    }
}

/// What a device has.
struct Report: Codable, Sendable {
    /// The settings, one text each.
    var values: [String]
    /// Which devices it knows.
    var replicas: [String]
    /// What is wrong with the files that it was brought.
    var problems: [String]
}
