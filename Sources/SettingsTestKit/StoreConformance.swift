import SettingsKitCore

/// Checks that a store conforms to the contract of `SettingsStore`.
///
/// Run it in the tests of every custom store, in any test framework:
///
/// ```swift
/// @Test func myStoreConforms() async {
///     let report = await StoreConformance { try MyStore(at: uniqueTemporaryPath()) }.run()
///     #expect(report.failures.isEmpty, "\(report)")
/// }
/// ```
///
/// Functions that a store does not offer (keys, a feed), and rules that need a closure that was not passed
/// (`unreadable:`), are not checked and are listed in ``StoreConformanceReport/skipped``.
public struct StoreConformance: Sendable {
    /// Creates an empty store, independent of earlier ones.
    public typealias Make = @Sendable () throws -> any SettingsStore
    /// Creates a second store on the medium of the first, as another process would.
    public typealias Reopen = @Sendable (any SettingsStore) throws -> any SettingsStore

    /// Makes the medium of a store unreadable, and returns a closure that makes it readable again, with its old
    /// contents.
    public typealias MakeUnreadable = @Sendable (any SettingsStore) throws -> @Sendable () throws -> Void

    private let make: Make
    private let reopen: Reopen?
    private let makeUnreadable: MakeUnreadable?

    /// Creates a suite for the stores that `make` creates.
    ///
    /// - Parameters:
    ///   - reopen: For stores that outlive the process: opens the medium of a given store again. It is called after the
    ///     given store was synchronised.
    ///   - unreadable: For stores with a medium that can become unreadable: makes it unreadable. The suite then checks
    ///     that the store throws, and that nothing is taken for empty and overwritten. Without it, these rules are
    ///     skipped.
    ///   - make: Creates an empty store; called once for each check.
    public init(reopen: Reopen? = nil, unreadable: MakeUnreadable? = nil, _ make: @escaping Make) {
        self.make = make
        self.reopen = reopen
        makeUnreadable = unreadable
    }

    /// Runs all checks. With a store that takes a millisecond for each call, this takes a few seconds.
    public func run() async -> StoreConformanceReport {
        var report = StoreConformanceReport()
        for check in checks {
            do {
                try await check.body(try make())
                report.passed.append(check.rule)
            } catch let failure as Violation {
                report.failures.append(.init(rule: check.rule, reason: failure.description))
            } catch let skip as NotOffered {
                report.skipped.append(.init(rule: check.rule, reason: skip.reason))
            } catch {
                report.failures.append(.init(rule: check.rule, reason: "It threw: \(error)"))
            }
        }
        return report
    }

    private var checks: [Check] {
        var checks = Check.values + Check.names + Check.batches + Check.enumeration + Check.feed + Check.concurrency
        checks += Check.unreadability(makeUnreadable, reopen: reopen)
        if let reopen { checks += Check.durability(reopen) }
        return checks
    }
}

/// A rule of the contract, and its check.
struct Check: Sendable {
    let rule: String
    let body: @Sendable (any SettingsStore) async throws -> Void

    init(_ rule: String, _ body: @escaping @Sendable (any SettingsStore) async throws -> Void) {
        self.rule = rule
        self.body = body
    }
}

/// The error that the rule is broken.
struct Violation: Error, CustomStringConvertible {
    let description: String
}

/// The error that the store does not offer what the rule is about.
struct NotOffered: Error {
    let reason: String
}

/// Fails the check unless the condition is true.
func require(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
    if !condition { throw Violation(description: reason()) }
}

/// A key in the scope of the checks.
func key(_ name: String) -> SettingsService.StorageKey {
    .init(name, scope: .custom(id: "conformance"))
}
