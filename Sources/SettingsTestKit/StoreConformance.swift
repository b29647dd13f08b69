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
/// Many rules, such as those against data loss, can be checked only on a medium that fails, or with a process that is killed.
/// Pass the closures that do so: `unreadable:`, `unwritable:` and `killed:`, with `reopen:`.
///
/// Rules about functions that a store does not offer (keys, a feed), and rules whose closure was not passed, are skipped.
/// ``StoreConformanceReport/skipped`` lists them, each with its reason.
public struct StoreConformance: Sendable {
    /// Creates an empty store, independent of earlier ones.
    public typealias Make = @Sendable () throws -> any SettingsStore
    /// Creates a second store on the medium of the first, as another process would.
    public typealias Reopen = @Sendable (any SettingsStore) throws -> any SettingsStore

    /// Makes reading or writing the medium of a store fail, and returns a closure that repairs the medium, with its old
    /// contents.
    public typealias Break = @Sendable (any SettingsStore) throws -> @Sendable () throws -> Void

    /// Runs ``writeUntilKilled(to:synchronizing:)`` in another process, on the medium of a store, and kills that process
    /// with `SIGKILL` after its first acknowledged change. Returns the number of the change that it acknowledged last.
    public typealias KillWriter = @Sendable (any SettingsStore) async throws -> Int

    private let make: Make
    private let means: Means

    /// The closures that the author of a store has passed to the suite.
    struct Means: Sendable {
        var reopen: Reopen?
        var unreadable: Break?
        var unwritable: Break?
        var killed: KillWriter?
    }

    /// Creates a suite for the stores that `make` creates.
    ///
    /// Without one of the optional closures, the rules that need it are skipped.
    ///
    /// - Parameters:
    ///   - reopen: For stores that outlive the process: opens the medium of a given store again. It is called after the
    ///     given store was synchronized, or after another process was killed.
    ///   - unreadable: For stores with a medium that can become unreadable: makes it unreadable. The suite then checks
    ///     that the store throws, and does not treat the medium as empty and overwrite it.
    ///   - unwritable: For stores with a medium that can refuse changes: makes it refuse them, for example as a full disk
    ///     does, while it can still be read. The suite then checks that a call that throws has changed nothing.
    ///   - killed: For stores whose changes survive the end of the process: runs a writer on the medium and kills it. The
    ///     suite calls it several times for one store. See ``runAndKill(_:_:)``.
    ///   - make: Creates an empty store; called once for each check.
    public init(
        reopen: Reopen? = nil, unreadable: Break? = nil, unwritable: Break? = nil, killed: KillWriter? = nil,
        _ make: @escaping Make
    ) {
        self.make = make
        means = Means(reopen: reopen, unreadable: unreadable, unwritable: unwritable, killed: killed)
    }

    /// Runs all checks. With a store that takes a millisecond for each call, this takes a few seconds.
    public func run() async -> StoreConformanceReport { await run(checks) }

    func run(_ checks: [Check]) async -> StoreConformanceReport {
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

    /// A rule of the contract of `SettingsStore`.
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        /// A short name to cite the rule by, such as `unreadable.throws`. Later versions do not give it to another rule.
        public let id: String
        /// The rule as a sentence.
        public let statement: String

        /// The name and the sentence.
        public var description: String { "\(id): \(statement)" }
    }

    /// All rules, in the order in which ``run()`` checks them.
    public static var rules: [Rule] { StoreConformance { throw NotOffered(reason: "") }.checks.map(\.rule) }

    var checks: [Check] {
        Check.values + Check.names + Check.batches + Check.enumeration + Check.feed + Check.concurrency
            + Check.unreadability(means) + Check.unwritability(means) + Check.errors(means) + Check.durability(means)
    }
}

extension StoreConformance.Means {
    /// Calls `body` while a store's medium is broken, and repairs it.
    ///
    /// - Throws: ``NotOffered`` if `breaking` is nil.
    static func whileBroken<R>(
        _ breaking: StoreConformance.Break?, _ label: String, _ store: any SettingsStore, _ body: () throws -> R
    ) throws -> R {
        guard let breaking else { throw NotOffered(reason: "no `\(label):` was passed to the suite") }
        let repair = try breaking(store)
        let result = Result(catching: body)
        try repair()
        return try result.get()
    }

    /// The closure that opens a second store on the medium of the first.
    ///
    /// - Throws: ``NotOffered`` if there is none.
    func requireReopening() throws -> StoreConformance.Reopen {
        guard let reopen else { throw NotOffered(reason: "no `reopen:` was passed to the suite") }
        return reopen
    }
}
