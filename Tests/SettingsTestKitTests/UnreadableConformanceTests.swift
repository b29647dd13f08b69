import Foundation
import SettingsKitCore
import SettingsTestKit
import Testing

/// A store that asks its medium each time, correctly or with one fault.
private final class MediumStore: SettingsStore {
    enum Fault: CaseIterable, Sendable {
        case answersNil, answersEmptyData, listsNothing
    }

    let medium: Medium
    let fault: Fault?

    init(_ medium: Medium, _ fault: Fault? = nil) {
        self.medium = medium
        self.fault = fault
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        if fault == .answersNil && !medium.isReadable { return nil }
        if fault == .answersEmptyData && !medium.isReadable { return Data() }
        return try medium.read()[key.name]
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try medium.write(data, named: key.name)
    }

    func keys() throws -> [String] {
        if fault == .listsNothing && !medium.isReadable { return [] }
        return Array(try medium.read().keys)
    }
}

/// A store that reads its medium when it is opened, takes an unreadable one for empty, and writes all that it holds.
private final class ForgetfulStore: SettingsStore {
    let medium: Medium
    private let contents: Mutex<[String: Data]>

    init(_ medium: Medium) {
        self.medium = medium
        contents = Mutex((try? medium.read()) ?? [:])
    }

    func get(_ key: SettingsService.StorageKey) -> Data? { contents.withLock { $0[key.name] } }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try contents.withLock { contents in
            contents[key.name] = data
            try medium.write(contents)
        }
    }
}

@Suite("The conformance suite with an unreadable medium", .ownThreads)
struct UnreadableConformanceTests {
    private static let rules = (
        reading: "unreadable.throws", opening: "unreadable.reopened", writing: "unreadable.kept"
    )

    /// - Parameter medium: The medium of a store that is not of the first type.
    private func report(
        reopen: StoreConformance.Reopen?, _ make: @escaping StoreConformance.Make,
        medium: @escaping @Sendable (any SettingsStore) -> Medium?
    ) async -> StoreConformanceReport {
        await StoreConformance(
            reopen: reopen,
            unreadable: { store in
                let medium = try #require(medium(store))
                medium.isReadable = false
                return { medium.isReadable = true }
            }, make
        )
        .run()
    }

    private func report(_ fault: MediumStore.Fault?, isReopened: Bool = true) async -> StoreConformanceReport {
        let reopen: StoreConformance.Reopen = { MediumStore(try #require($0 as? MediumStore).medium, fault) }
        return await report(reopen: isReopened ? reopen : nil) {
            MediumStore(Medium(), fault)
        } medium: {
            ($0 as? MediumStore)?.medium
        }
    }

    @Test("A store that throws while its medium cannot be read passes all three rules")
    func passes() async {
        let report = await report(nil)
        #expect(report.failures.isEmpty, "\(report)")
        #expect(
            Set(report.passed.map(\.id)).isSuperset(of: [Self.rules.reading, Self.rules.opening, Self.rules.writing]))
    }

    @Test("A store that answers nil when it cannot read fails, and loses a value")
    func answersNil() async {
        let failures = await report(.answersNil).failures.map(\.rule.id)
        #expect(failures == [Self.rules.reading, Self.rules.opening, Self.rules.writing])
    }

    @Test("A store that answers empty data when it cannot read fails")
    func answersEmptyData() async {
        #expect(await report(.answersEmptyData).failures.map(\.rule.id).contains(Self.rules.reading))
    }

    @Test("A store that lists no keys when it cannot read fails")
    func listsNothing() async {
        #expect(await report(.listsNothing).failures.map(\.rule.id) == [Self.rules.reading, Self.rules.opening])
    }

    @Test("A store that opens an unreadable medium as an empty one fails, and loses a value")
    func opensAsEmpty() async {
        let report = await report(reopen: { ForgetfulStore(try #require($0 as? ForgetfulStore).medium) }) {
            ForgetfulStore(Medium())
        } medium: {
            ($0 as? ForgetfulStore)?.medium
        }
        #expect(report.failures.map(\.rule.id) == [Self.rules.opening, Self.rules.writing], "\(report)")
    }

    @Test(
        "Without a way to make the medium unreadable the rules are skipped, and so is opening without a way to reopen")
    func skips() async {
        let skipped = await StoreConformance { PlainStore() }.run().skipped
        for rule in [Self.rules.reading, Self.rules.opening, Self.rules.writing] {
            #expect(skipped.contains { $0.rule.id == rule && $0.reason.contains("unreadable:") })
        }
        let report = await report(nil, isReopened: false)
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.skipped.contains { $0.rule.id == Self.rules.opening && $0.reason.contains("reopen:") })
    }
}
