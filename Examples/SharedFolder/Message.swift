import Foundation

/// A line of JSON on a device's standard output, for the process that started it.
enum Message: Codable, Sendable {
    /// The device makes no more changes.
    case hasPlayed
    /// The answer to a request.
    case report(Report)

    func send() {
        guard let line = try? JSONEncoder().encode(self) else { return }
        Console.show(String(decoding: line, as: UTF8.self))
    }
}

/// The state of a device.
struct Report: Codable, Sendable {
    /// The settings as text, in the order theme, volume, nickname.
    var values: [String]
    /// The number of changes that listeners received from this device.
    var ownChanges: Int
    /// The number of changes that listeners received from other devices.
    var othersChanges: Int
    /// The problems of the files in the device's folder.
    var problems: [String]
}
