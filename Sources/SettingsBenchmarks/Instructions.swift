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

    /// - Parameter operation: Such as `set`, which sets an integer, or `set:string`.
    private static func loop(_ operation: String) throws -> Loop? {
        let parts = operation.split(separator: ":")
        let name = parts.first ?? ""
        switch parts.dropFirst().first {
        case nil: return try Operations<Int>().loop(name)
        case "double": return try Operations<Double>().loop(name)
        case "string": return try Operations<String>().loop(name)
        default: return nil
        }
    }
}

/// A value that is counted.
private protocol Counted: Codable, Sendable {
    /// Returns another value for each number.
    static func value(_ number: Int) -> Self
}

extension Int: Counted {
    static func value(_ number: Int) -> Int { number }
}

extension Double: Counted {
    /// A number of about 17 digits, never a whole one, whose kind in the property list would be another.
    static func value(_ number: Int) -> Double { (Double(number) + 0.5) / 7 }
}

extension String: Counted {
    /// A text of ten characters.
    static func value(_ number: Int) -> String { "text " + String(10_000 + number % 90_000) }
}

private struct Triple<Value: Counted>: SettingsRecord {
    var count = Value.value(1)
    var limit = Value.value(10)
    var isActive = true

    static var empty: Triple { Triple() }
}

/// The operations on settings of one type.
private final class Operations<Value: Counted> {
    private let settings = SettingsService(defaults: orStop { try TemporaryFolder().propertyList(keyCount: 10) })
    private let first = Setting<Value>("count", in: .defaults, default: .value(0))
    private let second = Setting<Value>("limit", in: .defaults, default: .value(0))
    private var number = 0

    private func next() -> Value {
        number += 1
        return .value(number)
    }

    private func set(_ count: Int) -> Double { repeating(count) { settings.set(first, to: next()) } }

    func loop(_ operation: Substring) throws -> Loop? {
        let (settings, first, second) = (settings, first, second)
        switch operation {
        case "get": return { count in summing(count) { settings.get(first) as? Int ?? 0 } }
        case "value":
            let value = settings.value(first)
            return { count in summing(count) { value.value as? Int ?? 0 } }
        case "set": return set
        case "observed-set":
            let subscription = settings.observe(first) { use($0) }
            return { count in withExtendedLifetime(subscription) { self.set(count) } }
        case "update": return { count in repeating(count) { settings.update(first) { $0 = self.next() } } }
        case "transaction":
            return { count in
                repeating(count) {
                    let value = self.next()
                    settings.transaction { transaction in
                        transaction.set(first, to: value)
                        transaction.set(second, to: value)
                    }
                }
            }
        case "field":
            let record = try SettingsStorage<Triple<Value>>(name: "record", in: settings)
            return { count in repeating(count) { record.set(\.count, to: self.next()) } }
        default: return nil
        }
    }
}

/// Callgrind finds this function by its name, and counts only on the thread that is in it.
@inline(never)
private func runCounted(_ loop: Loop, _ count: Int) -> Double { loop(count) }
