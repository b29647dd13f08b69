import Foundation
import Testing

/// How many rounds those tests take whose rounds differ in nothing but a seed, a moment or a depth.
///
/// The first rounds find nearly everything; the others confirm it. `swift test` therefore takes a part of them.
/// `SETTINGSKIT_ROUNDS=full` takes all of them, as `.ci/soak` does.
package enum Rounds {
    /// Whether all rounds are taken.
    package static let areFull = ProcessInfo.processInfo.environment["SETTINGSKIT_ROUNDS"] == "full"

    /// The time after which a test counts as hanging, also while the machine has much other work.
    package static var timeLimit: TimeLimitTrait.Duration { .minutes(areFull ? 20 : 10) }

    /// Chooses the number of rounds, or anything else that a test's length depends on, and prints the choice.
    package static func choose<Value: Equatable>(_ part: Value, full: Value) -> Value {
        if part != full {
            let name = Test.current.map { $0.displayName ?? $0.name } ?? "Rounds"
            print(areFull ? "\(name): \(full)" : "\(name): \(part), and \(full) with SETTINGSKIT_ROUNDS=full")
        }
        return areFull ? full : part
    }

    /// Chooses seeds: the first `part` of them, or all.
    package static func seeds(_ all: Range<UInt64>, part: Int = 50) -> Range<UInt64> {
        all.prefix(choose(min(part, all.count), full: all.count))
    }
}
