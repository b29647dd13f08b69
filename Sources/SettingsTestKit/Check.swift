import Foundation
import SettingsKitCore

/// A rule of the contract, and its check.
struct Check: Sendable {
    let rule: StoreConformance.Rule
    let body: @Sendable (any SettingsStore) async throws -> Void

    init(_ id: String, _ statement: String, _ body: @escaping @Sendable (any SettingsStore) async throws -> Void) {
        rule = .init(id: id, statement: statement)
        self.body = body
    }
}

/// The error that the rule is broken.
struct Violation: Error, CustomStringConvertible {
    let description: String
}

/// The error that the store does not offer the checked function, or that the suite lacks the closure to check it.
struct NotOffered: Error {
    let reason: String
}

/// Fails the check unless the condition is true.
func require(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
    if !condition { throw Violation(description: reason()) }
}

/// A key in the scope of the checks.
func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .custom(id: "conformance")) }

extension SettingsStore {
    func set(_ name: String, _ text: String?) throws { try set(key(name), to: text.map { Data($0.utf8) }) }

    /// Whether a text is stored under a name; with nil, whether nothing is.
    func has(_ name: String, _ text: String?) throws -> Bool { try get(key(name)) == text.map { Data($0.utf8) } }

    /// Applies a batch of texts.
    func apply(_ writes: KeyValuePairs<String, String?>, expecting expectations: KeyValuePairs<String, String?> = [:])
        throws -> Bool
    {
        func entries(_ texts: KeyValuePairs<String, String?>) -> [SettingsStoreBatch.Entry] {
            texts.map { .init(key: key($0.key), data: $0.value.map { Data($0.utf8) }) }
        }
        return try apply(SettingsStoreBatch(writes: entries(writes), expectations: entries(expectations)))
    }

    /// The stored names.
    ///
    /// - Throws: ``NotOffered`` if the store does not list its keys.
    func names() throws -> [String] {
        do {
            return try keys()
        } catch SettingsError.Code.unsupported {
            throw NotOffered(reason: "the store does not list its keys")
        }
    }

    /// A service over the store, in the scope of the checks.
    func service(_ diagnosticSink: SettingsService.DiagnosticSink = .none) -> SettingsService {
        SettingsService(stores: [.custom(id: "conformance"): self], diagnosticSink: diagnosticSink)
    }
}
