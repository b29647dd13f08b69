import Foundation
import SettingsKit

/// The instructions of operations on the caller's thread, which `.ci/instructions` counts with Callgrind.
///
/// Times vary with the machine's other work; instructions hardly do.
enum Instructions {
    /// The argument that makes a copy of this program repeat an operation, before its name and the number of repetitions.
    static let argument = "--repeat"

    static func run(_ operation: String, _ number: String) throws {
        guard let count = Int(number), let loop = try loop(operation) else {
            fatalError("There is no operation \(operation), or \(number) is no number.")
        }
        // What is done and allocated only the first time does not count.
        _ = loop(100)
        _ = runCounted(loop, count)
    }

    private static func loop(_ operation: String) throws -> Loop? {
        let writer = try Writer(keyCount: 10)
        let settings = writer.settings
        switch operation {
        case "get": return { count in summing(count) { settings.get(.launchCount) } }
        case "value":
            let value = settings.value(.launchCount)
            return { count in summing(count) { value.value } }
        case "set": return writer.set
        case "observed-set":
            let subscription = settings.observe(.launchCount) { use($0) }
            return { count in withExtendedLifetime(subscription) { writer.set(count) } }
        case "update": return writer.update
        case "transaction": return writer.setTwo
        case "field":
            let counters = try SettingsStorage<Counters>(name: "counters", in: settings)
            return { count in repeating(count) { counters.set(\.count, to: writer.next()) } }
        default: return nil
        }
    }
}

/// Callgrind finds this function by its name, and counts only on the thread that is in it.
@inline(never)
private func runCounted(_ loop: Loop, _ count: Int) -> Double { loop(count) }
