import SettingsKitCore

/// Checks that a store keeps the contract of `SettingsStore`.
///
/// Every author of a store runs it, in whatever test framework:
///
/// ```swift
/// @Test func myStoreConforms() async {
///     let report = await StoreConformance { try MyStore(at: uniqueTemporaryPath()) }.run()
///     #expect(report.failures.isEmpty, "\(report)")
/// }
/// ```
///
/// What a store does not offer (keys, a feed), and what the suite was given no means for (`unreadable:`), is not checked and
/// is listed in ``StoreConformanceReport/skipped``.
public struct StoreConformance: Sendable {
    /// Makes an empty store, independent of those made before.
    public typealias Make = @Sendable () throws -> any SettingsStore
    /// Makes a second store on the medium of the first, as another process would.
    public typealias Reopen = @Sendable (any SettingsStore) throws -> any SettingsStore

    /// Makes the medium of a store unreadable, and returns what makes it readable again, with its old contents.
    public typealias MakeUnreadable = @Sendable (any SettingsStore) throws -> @Sendable () throws -> Void

    private let make: Make
    private let reopen: Reopen?
    private let makeUnreadable: MakeUnreadable?

    /// A suite for the stores that `make` makes.
    ///
    /// - Parameters:
    ///   - reopen: For stores that outlive the process: opens again what the given store has written. It is called after
    ///     the given store was synchronised.
    ///   - unreadable: For stores with a medium that can become unreadable: makes it so. The suite then checks that the
    ///     store throws, and that nothing is taken for empty and written over. Without it, these rules are skipped.
    ///   - make: Makes an empty store; called once a check.
    public init(reopen: Reopen? = nil, unreadable: MakeUnreadable? = nil, _ make: @escaping Make) {
        self.make = make
        self.reopen = reopen
        makeUnreadable = unreadable
    }

    /// Runs all checks. This takes a few seconds with a store that takes a millisecond a call.
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

/// One rule of the contract, and what finds out whether a store keeps it.
struct Check: Sendable {
    let rule: String
    let body: @Sendable (any SettingsStore) async throws -> Void

    init(_ rule: String, _ body: @escaping @Sendable (any SettingsStore) async throws -> Void) {
        self.rule = rule
        self.body = body
    }
}

/// The rule was broken.
struct Violation: Error, CustomStringConvertible {
    let description: String
}

/// The store does not have what the rule is about.
struct NotOffered: Error {
    let reason: String
}

/// Fails the check unless the condition holds.
func require(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
    if !condition { throw Violation(description: reason()) }
}

/// A key in the scope that the checks use.
func key(_ name: String) -> SettingsService.StorageKey {
    .init(name, scope: .custom(id: "conformance"))
}
