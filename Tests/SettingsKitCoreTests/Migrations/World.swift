import Foundation
import SettingsKitCore
import Testing

/// Two stores that an older version of a program has left, and what a newer one makes of them.
struct World {
    enum Kind: CaseIterable, Sendable {
        case atomic, feed, twoFunctions
    }

    /// Whether the migration is about one store or both.
    enum Span: CaseIterable, Sendable {
        case one, two

        var far: SettingsService.Scope { self == .one ? .defaults : .shared }
    }

    static let ledger = SettingsService.migrationLedger
    /// What a message must not contain.
    static let secrets = ["berlin", "BERLIN", "anna", "4711"]

    let span: Span
    let fuse = Fuse()
    let stores: [SettingsService.Scope: any SettingsStore]

    init(_ kind: Kind, _ span: Span) {
        self.span = span
        mayRunAgain = span == .two || kind == .twoFunctions
        var near = ["OldCity": Data("\"berlin\"".utf8), "other": Data("1".utf8)]
        var far = ["oldName": Data("\"anna\"".utf8), "mode": Data("4711".utf8)]
        if span == .one { (near, far) = (near.merging(far) { $1 }, [:]) }
        stores = [.defaults: Self.make(kind, near, fuse), .shared: Self.make(kind, far, fuse)]
    }

    private static func make(_ kind: Kind, _ contents: [String: Data], _ fuse: Fuse) -> any SettingsStore {
        switch kind {
        case .atomic: FusedStore(MemoryStore(contents), fuse)
        case .feed: FusedStore(FeedStore(contents), fuse)
        case .twoFunctions: FusedFunctions(TwoFunctionStore(contents), fuse)
        }
    }

    var city: Setting<String> { Setting("city", in: .defaults, default: "") }
    var name: Setting<String> { Setting("name", in: .defaults, default: "") }
    var mode: Setting<Int> { Setting("mode", in: span.far, default: 0) }
    var count: Setting<Int> { Setting("count", in: .defaults, default: 0) }
    var farCount: Setting<Int> { Setting("farCount", in: span.far, default: 0) }

    /// Whether a step may run again after it was applied in part.
    let mayRunAgain: Bool

    var steps: [SettingsService.Migration] {
        let mayRunAgain = mayRunAgain
        let (city, name, mode, count, farCount) = (city, name, mode, count, farCount)
        return [
            .rename("OldCity", to: city) { (old: String) in old.uppercased() },
            .rename("oldName", in: span.far, to: name),
            .version("one") { t in
                t[count] = mayRunAgain ? 1 : t[count] + 1
                t.set(mode, to: 2)
            },
            .version("two") { t in
                t[farCount] = mayRunAgain ? 1 : t[farCount] + 1
                t.reset(Setting<Int>("other", in: .defaults, default: 0))
            },
        ]
    }

    func service(_ problems: Recorder<SettingsError>? = nil) -> SettingsService {
        SettingsService(stores: stores, diagnosticSink: .init { problems?.append($0) })
    }

    /// What a program sees that looks at both stores, without the ledger.
    func visible() throws -> [String: String] {
        fuse.set(.none)
        var found: [String: String] = [:]
        for (scope, store) in stores {
            for name in ["OldCity", "oldName", "other", "city", "name", "mode", "count", "farCount"] {
                guard let data = try store.get(.init(name, scope: scope)) else { continue }
                found["\(scope == .defaults ? "" : "far ")\(name)"] = String(decoding: data, as: UTF8.self)
            }
        }
        return found
    }

    var noted: String? {
        get throws {
            try stores[.defaults]?.get(.init(Self.ledger, scope: .defaults)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private var far: String { span == .one ? "" : "far " }
    var old: [String: String] {
        ["OldCity": "\"berlin\"", "other": "1", far + "oldName": "\"anna\"", far + "mode": "4711"]
    }
    var new: [String: String] {
        ["city": "\"BERLIN\"", "name": "\"anna\"", "count": "1", far + "mode": "2", far + "farCount": "1"]
    }

    func expectNew(_ comment: Comment) throws {
        #expect(try visible() == new, comment)
        #expect(try noted == "[\"one\",\"two\"]", comment)
    }

    /// A state in between has each value under its old name or its new one.
    func expectNothingLost(in visible: [String: String], _ comment: Comment) {
        #expect(visible["OldCity"] ?? visible["city"] != nil, comment)
        #expect(visible[far + "oldName"] ?? visible["name"] == "\"anna\"", comment)
        #expect(visible[far + "mode"] != nil, comment)
    }

    static func expectNoSecrets(in error: any Error) {
        for secret in secrets { #expect(!"\(error) \(String(reflecting: error))".contains(secret)) }
    }
}
